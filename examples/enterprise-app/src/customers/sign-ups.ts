import { BadRequestException, Injectable } from '@nestjs/common';
import { OnPreUserRegister, type RegistrationInput } from 'lintel';

/** Says who may sign up, after the lists of the definition. */
@Injectable()
export class SignUps {
  /** Refuses the sign-up of staff, who come by the directory: that knows when somebody leaves. */
  @OnPreUserRegister()
  sendStaffToTheDirectory({ email, provider }: RegistrationInput): void {
    if (email.endsWith('@acme.example') && provider !== 'acme-id')
      throw new BadRequestException('Please sign in with Acme ID.');
  }
}
