import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import type { ActivationMethod, RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { PasswordHasher } from '../users/passwords/password-hasher.port.js';
import type { User } from '../users/user.entity.js';
import { optionalUsername, requiredEmail } from '../users/users.public.js';
import { type NewUser, UsersService } from '../users/users.service.js';
import { PreRegistrationHooks, runHook } from './pre-registration-hooks.service.js';
import {
  type Applicant,
  applyRegistrationPolicy,
  isReservedUsername,
  REGISTRATION_POLICY,
} from './registration-policy.js';
import type { RegistrationInput } from './registration-input.types.js';

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

/** A sign-up with a password. Its fields are already validated one by one. */
interface LocalRegistration extends Pick<NewUser, 'email' | 'username' | 'firstName' | 'lastName' | 'language'> {
  readonly password: string;
}

/** Issues the activation secret of a new account and enqueues its mail, in the transaction that creates the account. */
export type SendActivation = (manager: EntityManager, user: User) => Promise<void>;

/** Checks all self-service sign-ups: built-in policy, hooks, and the policy again on the values that the hooks returned. */
@Injectable()
export class RegistrationGate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(REGISTRATION_POLICY) private readonly policy: RegistrationPolicySettings | null,
    private readonly dataSource: DataSource,
    private readonly hooks: PreRegistrationHooks,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
  ) {}

  /** Creates an account and returns how it becomes active. The policy and the hooks run before the expensive hash. */
  async register(
    input: LocalRegistration,
    sendActivation: SendActivation,
    origin?: RequestOrigin,
  ): Promise<ActivationMethod> {
    const { activationMethod } = this.config.auth.local;
    const { password, firstName, lastName, language } = input;
    const { email, username } = await this.admit({ ...input, provider: 'local' });
    const passwordHash = await this.hasher.hash(password);
    const names = { email, username, firstName, lastName, language };
    const account = {
      passwordHash,
      provider: 'local',
      activated: activationMethod === 'auto',
      roles: ['user'],
      origin,
    };
    await this.dataSource.transaction(async (manager) => {
      const user = await this.users.create(manager, { ...names, ...account });
      if (activationMethod === 'email') await sendActivation(manager, user);
    });
    return activationMethod;
  }

  /**
   * Checks a sign-up immediately before its account is created. Create the account with the
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

  /** Applies the policy without the hooks. Returns the address in the form to store. */
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

  private passPolicy(input: Applicant): Applicant {
    const { applicant, fault } = applyRegistrationPolicy(this.policy, input);
    if (fault !== null) throw new AppError(fault);
    return applicant;
  }
}

/** Checks types and formats, because the values are from outside or from a hook. An empty username becomes null. */
function wellFormed(email: string, username: string | null | undefined): Applicant {
  const name = username === undefined || username === '' ? null : username;
  const checks = { email: requiredEmail(email), username: optionalUsername(name) };
  const faults = Object.entries(checks).flatMap(([field, fault]) => (fault === null ? [] : [{ field, ...fault }]));
  if (faults.length > 0) throw AppError.validation(faults);
  return { email, username: name };
}

/** Hooks may read these values but not change them. The profile is a copy by {@link frozenCopy}. */
type SignUpIdentity = Pick<RegistrationInput, 'provider' | 'providerId' | 'profile'>;

/** Only the address and the username are writable. Each hook gets its own object, so it cannot change anything later. */
export function createRegistrationInput(identity: SignUpIdentity, { email, username }: Applicant): RegistrationInput {
  const { provider, providerId, profile } = identity;
  const input = { email, username, provider, providerId, profile, isOAuth: provider !== 'local' };
  for (const name of ['provider', 'providerId', 'profile', 'isOAuth']) {
    Object.defineProperty(input, name, { writable: false });
  }
  return Object.seal(input);
}

/** Copies JSON-like data and freezes the copy deeply. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy: unknown = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, frozenCopy(entry)]));
  return Object.freeze(copy) as T;
}
