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
  appUrl: { meaning: 'public address of the service (`APP_URL`)', sample: 'https://lintel.example' },
  email: { meaning: 'address that the mail goes to', sample: 'ann@example.com' },
  name: {
    meaning: 'name of the person; missing until the address is proven, and if it looks like an address',
    sample: 'Ann Lee',
    optional: true,
  },
} as const satisfies TemplateRow['variables'];

export const LAYOUT_VARIABLES = {
  subject: { meaning: 'the subject of the mail', sample: 'Confirm your address' },
  body: { meaning: 'the mail itself, already rendered', sample: 'Hello' },
  lang: { meaning: 'language of the mail, for `<html lang>`', sample: 'en' },
  dir: { meaning: 'direction in which it is written, for `<html dir>`: `ltr` or `rtl`', sample: 'ltr' },
} as const satisfies TemplateRow['variables'];

const LINK = {
  meaning: 'address of the page that goes on',
  sample: 'https://lintel.example/go?token=2uR9bT7Wm0yKqXc4',
};
const LINK_OR_CODE = {
  ...LINK,
  meaning: `${LINK.meaning}; empty where a code is typed`,
  optional: true,
  secret: true,
} as const;
const CODE = { meaning: 'the code to type, where it is one', sample: '408213', optional: true, secret: true } as const;
const MINUTES = { meaning: 'minutes for which it stays good, counted from the sending', sample: '60' };
const VALIDITY = { meaning: 'the same in words of its language, such as `24 hours`', sample: '1 hour' };
const KEY_PREFIX = { meaning: 'beginning of the key, as it is listed', sample: 'lin_pat_x7Qp' };
const FACTOR = { meaning: 'what its owner calls it', sample: 'Phone', untrusted: true } as const;
const REVOKE_LINK = {
  ...LINK,
  meaning: 'address of the page that revokes it: works once, for 7 days',
  secret: true,
} as const;
const NEW_EMAIL = { meaning: 'the address that was asked for', sample: 'ann.lee@example.org' };

type VariableRows<T extends MailTemplate> = {
  readonly [N in keyof MailVariables[T]]-?: TemplateVariable;
} & (MailVariables[T] extends { readonly expiresInMinutes: number }
  ? { readonly validity: TemplateVariable }
  : unknown);

/** Every mail of the service. The texts are in `templates/`, and `docs/mail.md` is generated from this table. */
export const MAIL_TEMPLATES: {
  readonly [T in MailTemplate]: TemplateRow & { readonly variables: VariableRows<T> };
} = {
  activation: {
    purpose: 'to a new account: proves its address',
    variables: { link: LINK_OR_CODE, code: CODE, expiresInMinutes: MINUTES, validity: VALIDITY },
  },
  recovery: {
    purpose: 'to its owner: lets them choose a new password',
    variables: { link: LINK_OR_CODE, code: CODE, expiresInMinutes: MINUTES, validity: VALIDITY },
  },
  otp: {
    purpose: 'to its owner: a code to sign in',
    variables: {
      code: { meaning: 'the code to type', sample: '408213', secret: true },
      expiresInMinutes: MINUTES,
      validity: VALIDITY,
    },
  },
  'email-change-confirm': {
    purpose: 'to the new address: confirms the change',
    variables: {
      link: { ...LINK, secret: true },
      newEmail: NEW_EMAIL,
      expiresInMinutes: MINUTES,
      validity: VALIDITY,
    },
  },
  'email-change-notice': {
    purpose: 'to the current address: a change was asked for, and how to cancel it',
    variables: {
      cancelLink: { ...LINK, meaning: 'address of the page that cancels the change', secret: true },
      newEmail: NEW_EMAIL,
    },
  },
  'password-changed': { purpose: 'to its owner: the password was changed and all sessions were ended', variables: {} },
  'identity-linked': {
    purpose: 'to its owner: a provider was linked and opens the account from now on',
    variables: {
      provider: { meaning: 'name of the provider, as it is configured', sample: 'google' },
      revokeLink: REVOKE_LINK,
    },
  },
  'account-secured': {
    purpose:
      'to its owner, who has proven the address for the first time or was made an administrator: passwords, sessions and linked providers from before have ended',
    variables: {},
  },
  'factor-added': {
    purpose: 'to its owner: a second factor was added, and is asked for from now on',
    variables: { factor: FACTOR, revokeLink: REVOKE_LINK },
  },
  'factor-removed': { purpose: 'to its owner: a second factor was removed', variables: { factor: FACTOR } },
  'factors-reset': { purpose: 'to its owner: an administrator removed all second factors', variables: {} },
  'factors-reset-planned': {
    purpose: 'to its owner: an administrator or a recovery is about to remove second factors, and how to cancel that',
    variables: {
      expiresInMinutes: { ...MINUTES, meaning: 'minutes until then, counted from the sending' },
      validity: VALIDITY,
    },
  },
  'recovery-codes-made': {
    purpose: 'to its owner: recovery codes were made, and those of before ended',
    variables: {},
  },
  'passkey-copied': {
    purpose: 'to its owner: a passkey signed with a counter that was used before, so there is a copy of it',
    variables: { factor: { ...FACTOR, meaning: 'what its owner calls the passkey', sample: 'Key ring' } },
  },
  'recovery-code-used': {
    purpose: 'to its owner: a recovery code was used in place of a second factor',
    variables: { left: { meaning: 'how many are left', sample: '9' } },
  },
  invitation: {
    purpose: 'to somebody for whom an administrator made an account: lets them choose its password',
    variables: { link: { ...LINK, secret: true }, expiresInMinutes: MINUTES, validity: VALIDITY },
  },
  'account-deleted': { purpose: 'to who was its owner: the account is deleted', variables: {} },
  'api-key-created': {
    purpose: 'to its owner: an API key was made, or took the place of another',
    variables: { prefix: KEY_PREFIX, revokeLink: REVOKE_LINK },
  },
  'api-key-expiring': {
    purpose: 'to its owner: an API key expires within a week',
    variables: {
      prefix: KEY_PREFIX,
      expiresOn: { meaning: 'the day, in UTC', sample: '2026-11-29' },
    },
  },
  'api-key-reported': {
    purpose: 'to its owner: somebody found an API key and reported it, and it has ended',
    variables: { prefix: KEY_PREFIX },
  },
  test: { purpose: 'to whom an operator names: the service can send', variables: {} },
};

export const TEMPLATE_NAMES = Object.keys(MAIL_TEMPLATES) as MailTemplate[];

export function variablesOf(name: MailTemplate | 'layout'): TemplateRow['variables'] {
  return { ...COMMON_VARIABLES, ...(name === 'layout' ? LAYOUT_VARIABLES : MAIL_TEMPLATES[name].variables) };
}

export function templateRows(own: readonly MailDefinition[]): ReadonlyMap<string, TemplateRow['variables']> {
  const names = [...TEMPLATE_NAMES, 'layout' as const];
  return new Map<string, TemplateRow['variables']>([
    ...names.map((name) => [name, variablesOf(name)] as const),
    ...own.map(({ name, variables }) => [name, { ...COMMON_VARIABLES, ...withValidity(variables) }] as const),
  ]);
}

function withValidity(variables: TemplateRow['variables']): TemplateRow['variables'] {
  return 'expiresInMinutes' in variables ? { ...variables, validity: VALIDITY } : variables;
}
