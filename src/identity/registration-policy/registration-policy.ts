import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { appearances } from '../../kernel/text/comparable-text.js';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { asciiDomain, parseEmailAddress } from '../../kernel/text/email-address.js';

/** Injection token of the effective policy: `RegistrationPolicySettings`, or null. */
export const REGISTRATION_POLICY = Symbol('REGISTRATION_POLICY');

/** The address is well-formed, and so is the username if there is one. */
export interface Applicant {
  readonly email: string;
  readonly username: string | null;
}

type PolicyFault = 'email_domain_not_allowed' | 'email_domain_blocked' | 'username_reserved';

/** The applicant in the form to store, and the reason for a rejection. */
interface PolicyVerdict {
  readonly applicant: Applicant;
  readonly fault: PolicyFault | null;
}

/**
 * Applies the registration policy: normalization, then allow list, deny list and reserved usernames.
 *
 * List entries match exactly that domain and no subdomains. Domains are always compared in lower-case ASCII, even without normalization.
 * Usernames are compared by their appearance, in any script or case.
 *
 * @param policy result of {@link mergePolicy}; null blocks and changes nothing.
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
 * Overrides settings field by field: those of `AUTH.registration` by variables, and both by code. Either of them enables the policy.
 * Normalization is on by default.
 *
 * @throws DefinitionError for an invalid domain. It is reported at startup, because a list that blocks nothing would not be noticed.
 */
export function mergePolicy(
  settings: Partial<RegistrationPolicySettings> | null,
  overrides: Partial<RegistrationPolicySettings> | null,
): RegistrationPolicySettings | null {
  if (settings === null && overrides === null) return null;
  const domains = (field: 'allowedEmailDomains' | 'blockedEmailDomains'): string[] =>
    (overrides?.[field] ?? settings?.[field] ?? []).map((entry) => asciiEntry(field, entry));
  return {
    allowedEmailDomains: domains('allowedEmailDomains'),
    blockedEmailDomains: domains('blockedEmailDomains'),
    reservedUsernames: [...(overrides?.reservedUsernames ?? settings?.reservedUsernames ?? [])],
    normalizeEmail: overrides?.normalizeEmail ?? settings?.normalizeEmail ?? true,
  };
}

function asciiEntry(field: string, entry: string): string {
  const domain = asciiDomain(entry);
  if (domain === null)
    throw new DefinitionError(
      `The registration policy's ${field} contains ${JSON.stringify(entry)}, which is not a domain.`,
    );
  return domain;
}

export function isReservedUsername(policy: RegistrationPolicySettings | null, username: string): boolean {
  return policy !== null && isReserved(username, policy.reservedUsernames);
}

/** Matches reserved usernames and names that look like one. Entries may use a spelling that usernames may not have. */
function isReserved(username: string, reserved: readonly string[]): boolean {
  const usernameForms = new Set(appearances(username));
  return reserved.some((entry) => appearances(entry.trim()).some((form) => usernameForms.has(form)));
}
