import { defineVariables, parseDomain, parseLine, parseList } from '../../platform/config/config.public.js';
import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { AUTH_VARIABLES } from '../auth/auth.variables.js';

/** Which users may sign up, and how an account becomes active (specification, "Registration policy"). */
export const REGISTRATION_VARIABLES = defineVariables(
  'Registration policy',
  {
    AUTH_REG_ALLOWED_DOMAINS: { parse: parseList(parseDomain), meaning: 'comma-separated e-mail domain allowlist' },
    AUTH_REG_BLOCKED_DOMAINS: { parse: parseList(parseDomain), meaning: 'comma-separated e-mail domain denylist' },
    AUTH_REG_RESERVED_USERNAMES: { parse: parseList(parseLine), meaning: 'comma-separated reserved usernames' },
  },
  {
    settings: (values, { config, of }) => {
      const { registration, local } = of(AUTH_VARIABLES).AUTH;
      const lists = {
        allowedEmailDomains: values.AUTH_REG_ALLOWED_DOMAINS,
        blockedEmailDomains: values.AUTH_REG_BLOCKED_DOMAINS,
        reservedUsernames: values.AUTH_REG_RESERVED_USERNAMES,
      };
      const activationMethod =
        local.activationMethod ?? (['own', 'smtp'].includes(config.mail.delivery) ? 'email' : 'auto');
      return { auth: { registration: policyOf(lists, registration), local: { activationMethod } } };
    },
    faults: ({ mail, auth }) => {
      const isWithoutMail = mail.delivery === 'off' && !auth.localLoginDisabled;
      return isWithoutMail && auth.local.activationMethod === 'email'
        ? ['MAIL_URL must be set for the activation method email']
        : [];
    },
  },
);

/** Variables override the same field of `AUTH.registration`. Either enables the policy, with normalization by default. */
function policyOf(
  lists: { readonly [K in Exclude<keyof RegistrationPolicySettings, 'normalizeEmail'>]: readonly string[] | undefined },
  given: Partial<RegistrationPolicySettings> | undefined,
): RegistrationPolicySettings | null {
  if (given === undefined && Object.values(lists).every((list) => list === undefined)) return null;
  const reserved = lists.reservedUsernames ?? given?.reservedUsernames ?? [];
  return {
    allowedEmailDomains: lists.allowedEmailDomains ?? given?.allowedEmailDomains ?? [],
    blockedEmailDomains: lists.blockedEmailDomains ?? given?.blockedEmailDomains ?? [],
    reservedUsernames: reserved.map((name) => name.toLowerCase()),
    normalizeEmail: given?.normalizeEmail ?? true,
  };
}

declare module '../auth/auth-config.types.js' {
  interface AuthConfig {
    /** Null if no policy is configured: nothing is blocked. */
    readonly registration: RegistrationPolicySettings | null;
  }
}
