import { defineVariables, parseDomain, parseLine, parseList } from '../../platform/config/config.public.js';
import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { AUTH_VARIABLES } from '../auth/auth.variables.js';
import { mergePolicy } from './registration-policy.js';

/** Which users may sign up, and how an account becomes active. */
export const REGISTRATION_VARIABLES = defineVariables(
  'Registration policy',
  {
    AUTH_REG_ALLOWED_DOMAINS: {
      parse: parseList(parseDomain),
      meaning: 'e-mail domains that can register, separated by commas; unset allows all',
    },
    AUTH_REG_BLOCKED_DOMAINS: {
      parse: parseList(parseDomain),
      meaning: 'e-mail domains that cannot register, separated by commas',
    },
    AUTH_REG_RESERVED_USERNAMES: {
      parse: parseList(parseLine),
      meaning: 'usernames that cannot be used, separated by commas',
    },
  },
  {
    settings: (values, { config, of }) => {
      const { registration, local } = of(AUTH_VARIABLES).AUTH;
      const reserved = values.AUTH_REG_RESERVED_USERNAMES ?? registration?.reservedUsernames;
      const lists = {
        allowedEmailDomains: values.AUTH_REG_ALLOWED_DOMAINS,
        blockedEmailDomains: values.AUTH_REG_BLOCKED_DOMAINS,
        reservedUsernames: reserved?.map((name) => name.toLowerCase()),
      };
      const activationMethod =
        local.activationMethod ?? (['own', 'smtp'].includes(config.mail.delivery) ? 'email' : 'auto');
      const isSet = Object.values(lists).some((list) => list !== undefined);
      const policy = mergePolicy(registration ?? null, isSet ? lists : null);
      return { auth: { registration: policy, local: { activationMethod } } };
    },
    faults: ({ mail, auth }) => {
      const isWithoutMail = mail.delivery === 'off' && !auth.localLoginDisabled;
      return isWithoutMail && auth.local.activationMethod === 'email'
        ? ['MAIL_URL must be set for the activation method email']
        : [];
    },
  },
);

declare module '../auth/auth-config.types.js' {
  interface AuthConfig {
    /** Null if no policy is configured: nothing is blocked. */
    readonly registration: RegistrationPolicySettings | null;
  }
}
