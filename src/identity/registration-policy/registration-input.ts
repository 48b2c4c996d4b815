import type { RegistrationInput } from './registration-input.types.js';
import type { Applicant } from './registration-policy.js';

/** Describes the person who signs up and the sign-in method: hooks may read it and never change it. */
export interface SignUpIdentity {
  /** `local`, or the name of the social provider. */
  readonly provider: string;
  readonly providerId: string;
  /** Made by {@link frozenCopy}. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/**
 * Makes the object for one hook. Only its address and username can be written, nothing can be added, removed or redefined;
 * each hook gets an object of its own, so that one which kept it changes nothing later.
 */
export function createRegistrationInput(identity: SignUpIdentity, { email, username }: Applicant): RegistrationInput {
  const { provider, providerId, profile } = identity;
  const input = { email, username, provider, providerId, profile, isOAuth: provider !== 'local' };
  for (const name of ['provider', 'providerId', 'profile', 'isOAuth']) {
    Object.defineProperty(input, name, { writable: false });
  }
  return Object.seal(input);
}

/** Copies JSON-like data and freezes the copy to the bottom. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy: unknown = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, frozenCopy(entry)]));
  return Object.freeze(copy) as T;
}
