import { BadRequestException, Injectable } from '@nestjs/common';
import { OnPreUserRegister, type RegistrationInput } from 'lintel';

/** Decides about registrations, after the lists of the definition. */
@Injectable()
export class SignUps {
  /** Rejects the registration of staff, who sign in with the staff directory, which knows when an employee leaves. */
  @OnPreUserRegister()
  sendStaffToTheDirectory({ email, provider }: RegistrationInput): void {
    if (email.endsWith('@acme.example') && provider !== 'acme-id')
      throw new BadRequestException('Please sign in with Acme ID.');
  }
}
