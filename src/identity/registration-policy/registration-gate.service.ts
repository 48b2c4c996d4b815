import { Inject, Injectable } from '@nestjs/common';
import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import { optionalUsername, requiredEmail } from '../users/users.public.js';
import { UsersService } from '../users/users.service.js';
import { PreRegistrationHooks } from './pre-registration-hooks.service.js';
import { createRegistrationInput, frozenCopy } from './registration-input.js';
import {
  type Applicant,
  applyRegistrationPolicy,
  isReservedUsername,
  REGISTRATION_POLICY,
} from './registration-policy.js';
import { runHook } from './run-hook.js';

/** Someone who signs up, whichever way in it is. */
export interface SignUp {
  readonly email: string;
  readonly username?: string | null;
  /** `local`, or the name of the social provider. */
  readonly provider: string;
  /** Subject identifier at the provider; left out for `local`. */
  readonly providerId?: string;
  /** Profile as the provider sent it, as JSON data; left out for `local`. */
  readonly profile?: Readonly<Record<string, unknown>>;
}

/** The one gate of all self-service sign-ups: built-in policy, hooks, and both again on what the hooks left. */
@Injectable()
export class RegistrationGate {
  constructor(
    @Inject(REGISTRATION_POLICY) private readonly policy: RegistrationPolicySettings | null,
    private readonly hooks: PreRegistrationHooks,
    private readonly users: UsersService,
  ) {}

  /**
   * Decides over a sign-up, immediately before its account is made (specification, "Registration policy rules"). The answer
   * is what the account is to be made with: a hook may have put another address there, which nobody has proven then.
   *
   * @throws AppError `email_domain_not_allowed`, `email_domain_blocked`, `username_reserved`, `email_taken`,
   * `username_taken`; `registration_rejected`, or what else a hook rejects with; `validation_failed` for a malformed address
   * or username; `internal_error` for a hook that is at fault.
   */
  async admit(signUp: SignUp): Promise<Applicant> {
    const { email, username, provider, providerId = '', profile = {} } = signUp;
    const identity = { provider, providerId, profile: frozenCopy(profile) };
    let applicant = this.passPolicy(wellFormed(email, username));
    for (const hook of this.hooks.list()) {
      const input = createRegistrationInput(identity, applicant);
      await runHook(hook, input);
      applicant = this.normalize(wellFormed(input.email, input.username));
    }
    applicant = this.passPolicy(applicant);
    await this.users.assertFree(applicant.email, applicant.username);
    return applicant;
  }

  /**
   * Applies the policy alone to the new address of an account (specification, "Registration policy rules", 5).
   *
   * @returns the address as it is to be kept.
   * @throws AppError `email_domain_not_allowed`, `email_domain_blocked`; `validation_failed` if it is no address.
   */
  assertEmailAllowed(email: string): string {
    return this.passPolicy(wellFormed(email, null)).email;
  }

  /**
   * Applies the policy alone to the new username of an account, which is well-formed.
   *
   * @throws AppError `username_reserved`.
   */
  assertUsernameAllowed(username: string): void {
    if (isReservedUsername(this.policy, username)) throw new AppError('username_reserved');
  }

  private normalize(applicant: Applicant): Applicant {
    return applyRegistrationPolicy(this.policy, applicant).applicant;
  }

  private passPolicy(given: Applicant): Applicant {
    const { applicant, fault } = applyRegistrationPolicy(this.policy, given);
    if (fault !== null) throw new AppError(fault);
    return applicant;
  }
}

/** Returns what came from outside, or from a hook: types and format are checked, whatever was promised. No username is null. */
function wellFormed(email: string, username: string | null | undefined): Applicant {
  const name = username === undefined || username === '' ? null : username;
  const faults: FieldFault[] = [];
  const emailFault = requiredEmail(email);
  const usernameFault = optionalUsername(name);
  if (emailFault !== null) faults.push({ field: 'email', ...emailFault });
  if (usernameFault !== null) faults.push({ field: 'username', ...usernameFault });
  if (faults.length > 0) throw AppError.validation(faults);
  return { email, username: name };
}
