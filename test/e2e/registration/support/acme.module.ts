import { BadRequestException, Injectable, Module } from '@nestjs/common';
import { OnPreUserRegister } from '../../../../src/registration-policy/on-pre-user-register.decorator.js';
import type { RegistrationInput } from '../../../../src/registration-policy/registration-input.types.js';
import { RegistrationPolicyModule } from '../../../../src/registration-policy/registration-policy.module.js';

/** Who may sign up at Acme. */
@Injectable()
class AcmeSignUp {
  /** Staff signs in with Google. */
  @OnPreUserRegister()
  staffUsesGoogle(input: RegistrationInput): void {
    if (input.email.endsWith('@acme.example') && input.provider !== 'google') {
      throw new BadRequestException('Please use "Sign in with Google".');
    }
  }

  /** Everybody has a username. May be asynchronous: ask a service, a database. */
  @OnPreUserRegister({ order: 10 })
  async giveUsername(input: RegistrationInput): Promise<void> {
    input.username ??= `user-${input.email.slice(0, input.email.indexOf('@'))}`;
  }
}

@Module({
  imports: [RegistrationPolicyModule.forRoot({ blockedEmailDomains: ['trash.example'], reservedUsernames: ['admin'] })],
  providers: [AcmeSignUp],
})
export class AcmeModule {}
