import type { MailDefinition, MailTemplate, MailVariables, TemplateVariable } from '../mailer.port.js';

/** The purpose of a mail, and its variables in addition to {@link COMMON_VARIABLES}. */
export interface TemplateRow {
  readonly purpose: string;
  readonly variables: Readonly<Record<string, TemplateVariable>>;
}

export const TEMPLATE_PARTS = ['subject', 'html', 'text'] as const;

export type TemplatePart = (typeof TEMPLATE_PARTS)[number];

export const COMMON_VARIABLES = {
  appName: { meaning: 'name of the service (`APP_NAME`)', sample: 'Lintel' },
  appUrl: { meaning: 'public URL of the service (`APP_URL`)', sample: 'https://lintel.example' },
  email: { meaning: 'e-mail address of the recipient', sample: 'ann@example.com' },
  name: {
    meaning: 'name of the user; missing until the e-mail address is verified, and if the name looks like an address',
    sample: 'Ann Lee',
    optional: true,
  },
} as const satisfies TemplateRow['variables'];

export const LAYOUT_VARIABLES = {
  subject: { meaning: 'subject of the mail', sample: 'Confirm your address' },
  body: { meaning: 'rendered content of the mail', sample: 'Hello' },
  lang: { meaning: 'language of the mail, for `<html lang>`', sample: 'en' },
  dir: { meaning: 'text direction, for `<html dir>`: `ltr` or `rtl`', sample: 'ltr' },
} as const satisfies TemplateRow['variables'];

const LINK = {
  meaning: 'URL of the page to continue',
  sample: 'https://lintel.example/go?token=2uR9bT7Wm0yKqXc4',
};
const LINK_OR_CODE = {
  ...LINK,
  meaning: `${LINK.meaning}; empty if a code is used`,
  optional: true,
  secret: true,
} as const;
const CODE = { meaning: 'code to type, if a code is used', sample: '408213', optional: true, secret: true } as const;
const MINUTES = { meaning: 'minutes until it expires, from the time of sending', sample: '60' };
const VALIDITY = { meaning: 'the same time as text in the language of the mail, such as `24 hours`', sample: '1 hour' };
const KEY_PREFIX = { meaning: 'first characters of the key, as in the list of keys', sample: 'lin_pat_x7Qp' };
const FACTOR = { meaning: 'name of the factor', sample: 'Phone', untrusted: true } as const;
const REVOKE_LINK = {
  ...LINK,
  meaning: 'URL of the page that revokes it; valid once, for 7 days',
  secret: true,
} as const;
const NEW_EMAIL = { meaning: 'requested e-mail address', sample: 'ann.lee@example.org' };

type VariableRows<T extends MailTemplate> = { readonly [N in keyof MailVariables[T]]-?: TemplateVariable };

/** Every mail of the service. The texts are in `templates/`, and `docs/reference/mail-templates.md` is generated from this table. */
export const MAIL_TEMPLATES: {
  readonly [T in MailTemplate]: TemplateRow & { readonly variables: VariableRows<T> };
} = {
  activation: {
    purpose: 'to the address of a new account, to verify it',
    variables: { link: LINK_OR_CODE, code: CODE, expiresInMinutes: MINUTES },
  },
  recovery: {
    purpose: 'to the account owner, to choose a new password',
    variables: { link: LINK_OR_CODE, code: CODE, expiresInMinutes: MINUTES },
  },
  otp: {
    purpose: 'to the account owner, with a sign-in code',
    variables: {
      code: { meaning: 'code to type', sample: '408213', secret: true },
      expiresInMinutes: MINUTES,
    },
  },
  'email-change-confirm': {
    purpose: 'to the new address, to confirm the change',
    variables: {
      link: { ...LINK, secret: true },
      newEmail: NEW_EMAIL,
      expiresInMinutes: MINUTES,
    },
  },
  'email-change-notice': {
    purpose: 'to the current address, after a change was requested, with a link to cancel it',
    variables: {
      cancelLink: { ...LINK, meaning: 'URL of the page that cancels the change', secret: true },
      newEmail: NEW_EMAIL,
    },
  },
  'password-changed': {
    purpose: 'to the account owner, after the password was changed and all sessions were revoked',
    variables: {},
  },
  'identity-linked': {
    purpose: 'to the account owner, after a sign-in provider was linked',
    variables: {
      provider: { meaning: 'configured name of the provider', sample: 'google' },
      revokeLink: REVOKE_LINK,
    },
  },
  'account-secured': {
    purpose:
      'to the account owner, after the address was verified for the first time or the role admin was granted, and earlier passwords, sessions and linked providers were revoked',
    variables: {},
  },
  'factor-added': {
    purpose: 'to the account owner, after a second factor was added',
    variables: { factor: FACTOR, revokeLink: REVOKE_LINK },
  },
  'factor-removed': {
    purpose: 'to the account owner, after a second factor was removed',
    variables: { factor: FACTOR },
  },
  'factors-reset': {
    purpose: 'to the account owner, after an administrator removed all second factors',
    variables: {},
  },
  'factors-reset-planned': {
    purpose: 'to the account owner, after an administrator or a recovery scheduled the removal of second factors',
    variables: {
      expiresInMinutes: { ...MINUTES, meaning: 'minutes until the removal, from the time of sending' },
    },
  },
  'recovery-codes-made': {
    purpose: 'to the account owner, after recovery codes were created and the previous codes were revoked',
    variables: {},
  },
  'passkey-copied': {
    purpose: 'to the account owner, after a passkey was used with an old signature counter, which indicates a copy',
    variables: { factor: { ...FACTOR, meaning: 'name of the passkey', sample: 'Key ring' } },
  },
  'recovery-code-used': {
    purpose: 'to the account owner, after a recovery code was used instead of a second factor',
    variables: { left: { meaning: 'number of remaining codes', sample: '9' } },
  },
  invitation: {
    purpose: 'to the user of an account that an administrator created, to choose a password',
    variables: { link: { ...LINK, secret: true }, expiresInMinutes: MINUTES },
  },
  'account-deleted': { purpose: 'to the former owner, after the account was deleted', variables: {} },
  'api-key-created': {
    purpose: 'to the account owner, after an API key was created or replaced',
    variables: { prefix: KEY_PREFIX, revokeLink: REVOKE_LINK },
  },
  'api-key-expiring': {
    purpose: 'to the account owner, within a week before an API key expires',
    variables: {
      prefix: KEY_PREFIX,
      expiresOn: { meaning: 'date of expiration, in UTC', sample: '2026-11-29' },
    },
  },
  'api-key-reported': {
    purpose: 'to the account owner, after a leaked API key was reported and revoked',
    variables: { prefix: KEY_PREFIX },
  },
  test: { purpose: 'to the recipient of a test mail', variables: {} },
};

export const TEMPLATE_NAMES = Object.keys(MAIL_TEMPLATES) as MailTemplate[];

export function variablesOf(name: MailTemplate | 'layout'): TemplateRow['variables'] {
  return {
    ...COMMON_VARIABLES,
    ...(name === 'layout' ? LAYOUT_VARIABLES : withValidity(MAIL_TEMPLATES[name].variables)),
  };
}

export function templateRows(own: readonly MailDefinition[]): ReadonlyMap<string, TemplateRow['variables']> {
  return new Map<string, TemplateRow['variables']>([
    ...[...TEMPLATE_NAMES, 'layout' as const].map((name) => [name, variablesOf(name)] as const),
    ...own.map(({ name, variables }) => [name, { ...COMMON_VARIABLES, ...withValidity(variables) }] as const),
  ]);
}

/** Adds the variable `validity` to those of a mail that expires. */
export function withValidity(variables: TemplateRow['variables']): TemplateRow['variables'] {
  return 'expiresInMinutes' in variables ? { ...variables, validity: VALIDITY } : variables;
}
