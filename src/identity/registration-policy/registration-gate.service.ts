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

export interface SignUp {
  readonly email: string;
  readonly username?: string | null;
  /** `local`, or the name of the social provider. */
  readonly provider: string;
  /** Subject identifier at the provider; omitted for `local`. */
  readonly providerId?: string;
  /** Profile as the provider sent it, as JSON data; omitted for `local`. */
  readonly profile?: Readonly<Record<string, unknown>>;
}

/** Checks all self-service sign-ups: built-in policy, hooks, and the policy again on the values that the hooks returned. */
@Injectable()
export class RegistrationGate {
  constructor(
    @Inject(REGISTRATION_POLICY) private readonly policy: RegistrationPolicySettings | null,
    private readonly hooks: PreRegistrationHooks,
    private readonly users: UsersService,
  ) {}

  /**
   * Checks a sign-up immediately before its account is created (specification, "Registration policy rules"). Create the account with the
   * returned values: a hook may have replaced the address, and the new address is not proven.
   *
   * @throws AppError `email_domain_not_allowed`, `email_domain_blocked`, `username_reserved`, `email_taken`, `username_taken`;
   * `registration_rejected`, or the error code of a hook; `validation_failed` for a malformed address or username; `internal_error` for a
   * faulty hook.
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
   * Applies the policy without the hooks (specification, "Registration policy rules", 5). Returns the address in the form to store.
   *
   * @throws AppError `email_domain_not_allowed`, `email_domain_blocked`; `validation_failed` if it is not an address.
   */
  assertEmailAllowed(email: string): string {
    return this.passPolicy(wellFormed(email, null)).email;
  }

  /** Applies the policy without the hooks. @throws AppError `username_reserved`. */
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

/** Checks types and formats, because the values are from outside or from a hook. An empty username becomes null. */
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
