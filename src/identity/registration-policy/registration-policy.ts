import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { appearances } from '../../kernel/text/comparable-text.js';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { asciiDomain, parseEmailAddress } from '../../kernel/text/email-address.js';

/** Injection token of the policy in force: `RegistrationPolicySettings`, or null. */
export const REGISTRATION_POLICY = Symbol('REGISTRATION_POLICY');

/** Describes an applicant: a well-formed address, and a well-formed username where there is one. */
export interface Applicant {
  readonly email: string;
  readonly username: string | null;
}

/** Names the refusal of the policy: a code of the error catalogue. */
export type PolicyFault = 'email_domain_not_allowed' | 'email_domain_blocked' | 'username_reserved';

/** Holds the verdict of the policy: the applicant as it is to be kept, and why it is refused, or null. */
export interface PolicyVerdict {
  readonly applicant: Applicant;
  readonly fault: PolicyFault | null;
}

/**
 * Applies the registration policy (specification, "Registration policy"): normalises, then asks the allow list, the deny
 * list and the reserved usernames. An entry of a list means exactly that domain, not those below it. Domains are always
 * compared in lower-case ASCII, also where normalisation is off; usernames by how they look, whatever the script or the case.
 *
 * @param policy what {@link mergePolicy} made, or null: nothing is blocked, nothing is changed.
 */
export function applyRegistrationPolicy(
  policy: RegistrationPolicySettings | null,
  applicant: Applicant,
): PolicyVerdict {
  if (policy === null) return { applicant, fault: null };
  const mailbox = parseEmailAddress(applicant.email);
  const email = policy.normalizeEmail && mailbox !== null ? mailbox.ascii : applicant.email;
  const normalized = { ...applicant, email };
  return { applicant: normalized, fault: findFault(policy, mailbox?.domain ?? '', applicant.username) };
}

function findFault(policy: RegistrationPolicySettings, domain: string, username: string | null): PolicyFault | null {
  const { allowedEmailDomains, blockedEmailDomains, reservedUsernames } = policy;
  if (allowedEmailDomains.length > 0 && !allowedEmailDomains.includes(domain)) return 'email_domain_not_allowed';
  if (blockedEmailDomains.includes(domain)) return 'email_domain_blocked';
  if (username !== null && isReserved(username, reservedUsernames)) return 'username_reserved';
  return null;
}

/**
 * Lays programmatic settings over the configured ones, field by field; either enables the policy, with normalisation on
 * unless it is said otherwise.
 *
 * @throws DefinitionError that names a domain which is none: at start, since a list that blocks nothing would go unnoticed.
 */
export function mergePolicy(
  configured: RegistrationPolicySettings | null,
  programmatic: Partial<RegistrationPolicySettings> | null,
): RegistrationPolicySettings | null {
  if (configured === null && programmatic === null) return null;
  const domains = (field: 'allowedEmailDomains' | 'blockedEmailDomains'): string[] =>
    (programmatic?.[field] ?? configured?.[field] ?? []).map((entry) => asciiEntry(field, entry));
  return {
    allowedEmailDomains: domains('allowedEmailDomains'),
    blockedEmailDomains: domains('blockedEmailDomains'),
    reservedUsernames: [...(programmatic?.reservedUsernames ?? configured?.reservedUsernames ?? [])],
    normalizeEmail: programmatic?.normalizeEmail ?? configured?.normalizeEmail ?? true,
  };
}

function asciiEntry(field: string, entry: string): string {
  const domain = asciiDomain(entry);
  if (domain === null)
    throw new DefinitionError(`The registration policy's ${field} holds ${JSON.stringify(entry)}: not a domain.`);
  return domain;
}

/** Returns whether the policy reserves a username. */
export function isReservedUsername(policy: RegistrationPolicySettings | null, username: string): boolean {
  return policy !== null && isReserved(username, policy.reservedUsernames);
}

/** Returns whether a username is one of the list or looks like one, also like an entry in a spelling that a username may not have. */
function isReserved(username: string, reserved: readonly string[]): boolean {
  const looks = new Set(appearances(username));
  return reserved.some((entry) => appearances(entry.trim()).some((look) => looks.has(look)));
}
