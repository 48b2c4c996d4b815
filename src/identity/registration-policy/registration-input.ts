import type { RegistrationInput } from './registration-input.types.js';
import type { Applicant } from './registration-policy.js';

/** Hooks may read these values but not change them. */
export interface SignUpIdentity {
  readonly provider: string;
  readonly providerId: string;
  /** A copy by {@link frozenCopy}. */
  readonly profile: Readonly<Record<string, unknown>>;
}

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
