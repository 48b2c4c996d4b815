import type { EntityManager } from 'typeorm';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { parseLanguage } from '../../kernel/text/language.js';

/** The mails of the service. Each key is the name of a template, with its variables. */
export interface MailVariables {
  readonly activation: { readonly link: string; readonly code?: string; readonly expiresInMinutes: number };
  readonly recovery: { readonly link: string; readonly code?: string; readonly expiresInMinutes: number };
  readonly otp: { readonly code: string; readonly expiresInMinutes: number };
  readonly 'email-change-confirm': {
    readonly link: string;
    readonly newEmail: string;
    readonly expiresInMinutes: number;
  };
  /** To the current address: a change was requested, with a link that cancels it. */
  readonly 'email-change-notice': { readonly cancelLink: string; readonly newEmail: string };
  /** To the owner: the password was changed and all sessions were revoked. */
  readonly 'password-changed': Record<never, never>;
  /** To the owner: a provider was linked, and can now be used to sign in. */
  readonly 'identity-linked': { readonly provider: string; readonly revokeLink: string };
  /** To the owner, who has just verified the address: all earlier credentials were revoked. */
  readonly 'account-secured': Record<never, never>;
  readonly 'factor-added': { readonly factor: string; readonly revokeLink: string };
  readonly 'factor-removed': { readonly factor: string };
  readonly 'factors-reset': Record<never, never>;
  /** To the owner: the removal of all second factors is scheduled, with the time left and how to cancel it. */
  readonly 'factors-reset-planned': { readonly expiresInMinutes: number };
  readonly 'recovery-codes-made': Record<never, never>;
  /** To the owner: a passkey signed with a counter that was used before, so it has been copied. */
  readonly 'passkey-copied': { readonly factor: string };
  /** To the owner: a recovery code was used; `left` is the number of remaining codes. */
  readonly 'recovery-code-used': { readonly left: string };
  /** To the owner of an account that an administrator created: lets them choose a password. */
  readonly invitation: { readonly link: string; readonly expiresInMinutes: number };
  readonly 'account-deleted': Record<never, never>;
  readonly 'api-key-created': { readonly prefix: string; readonly revokeLink: string };
  /** To the owner: an API key expires on that day, in UTC. */
  readonly 'api-key-expiring': { readonly prefix: string; readonly expiresOn: string };
  /** To the owner: an API key was reported as leaked, and is revoked. */
  readonly 'api-key-reported': { readonly prefix: string };
  /** To an address that the operator chooses: checks that mail works. */
  readonly test: Record<never, never>;
}

export type MailTemplate = keyof MailVariables;

/** A mail to one mailbox. */
export interface Mail<T extends MailTemplate = MailTemplate> {
  readonly template: T;
  /** One address, in the form of the SMTP envelope. */
  readonly to: string;
  /** Name of the recipient, if known. It is escaped in the HTML part. */
  readonly name?: string | null;
  /** Language of the recipient, if known (RFC 5646). Default: the language of the service (`APP_LANGUAGE`). */
  readonly language?: string | null;
  readonly variables: MailVariables[T];
}

/** One variable of a template. */
export interface TemplateVariable {
  readonly meaning: string;
  /** For checks and previews. */
  readonly sample: string;
  /** Whether the value may be missing. Templates check it with `{{#if …}}`. */
  readonly optional?: true;
  /** Whether a user chose the text. It is written so that mail programs create no link. */
  readonly untrusted?: true;
  /** Whether the value authorizes actions for the account. It must not be in a subject, and each body must show at least one. */
  readonly secret?: true;
}

/** The variables of an application's mail, by name, in addition to the common ones. */
type OwnVariables = Readonly<Record<string, Omit<TemplateVariable, 'meaning'> & { readonly meaning?: string }>>;

type OwnValues<V extends OwnVariables> = {
  readonly [N in keyof V as V[N] extends { readonly optional: true } ? never : N]: string | number;
} & { readonly [N in keyof V as V[N] extends { readonly optional: true } ? N : never]?: string | number };

export interface MailTexts {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A mail of an application. Its module registers it, by `MailModule.forRoot({ mails })`. */
export interface MailDefinition<V extends OwnVariables = OwnVariables> extends MailTexts {
  readonly name: string;
  /** Texts in other languages, by language tag. */
  readonly languages: Readonly<Record<string, MailTexts>>;
  readonly variables: Readonly<Record<keyof V & string, TemplateVariable>>;
}

/** An application's mail to one mailbox. */
export interface OwnMail<V extends OwnVariables = OwnVariables> extends Omit<Mail, 'template' | 'variables'> {
  readonly template: MailDefinition<V>;
  readonly variables: OwnValues<V>;
}

const MAIL_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const VARIABLE_NAME = /^[a-z][A-Za-z0-9]*$/;
/** @internal */
const MAX_NAME_LENGTH = 60;
const BUILT_IN_VARIABLES = ['appName', 'appUrl', 'email', 'name', 'subject', 'body', 'validity'];

/**
 * Defines a mail of an application. Its parts are templates like the built-in ones (docs/guides/operating/mail.md), and each can be replaced.
 *
 * @param name lower-case letters, digits and hyphens, such as `acme-invitation`.
 * @param variables in addition to the common ones, each with a sample. With `expiresInMinutes` the mail also has `validity`, and is given
 * up after that time.
 * @param languages texts in other languages, by language tag (RFC 5646). The main texts are used for all other languages.
 */
export function defineMail<const V extends OwnVariables>(
  name: string,
  { subject, html, text, variables, languages = {} }: NewMail<V>,
): MailDefinition<V> {
  const rows = Object.entries(variables).map(([one, row]) => [one, { meaning: one, ...row }] as const);
  return {
    name,
    subject,
    html,
    text,
    languages,
    variables: Object.fromEntries(rows) as MailDefinition<V>['variables'],
  };
}

interface NewMail<V extends OwnVariables> extends MailTexts {
  readonly variables: V;
  readonly languages?: Readonly<Record<string, MailTexts>>;
}

/** @throws DefinitionError for a value that {@link defineMail} did not create, and for invalid names of a mail or its variables. */
export function assertMail(mail: MailDefinition): void {
  const { name, variables, languages } = Object(mail) as Partial<MailDefinition>;
  if (typeof name !== 'string' || variables === undefined || languages === undefined)
    throw new DefinitionError('mails of the mail settings contains an entry that is not a result of defineMail().');
  if (!MAIL_NAME.test(name) || name.length > MAX_NAME_LENGTH)
    throw new DefinitionError(
      `The mail name ${JSON.stringify(name)} is not valid. Use at most ${MAX_NAME_LENGTH} lower-case letters, digits and hyphens, such as acme-invitation.`,
    );
  const tag = Object.keys(languages).find((one) => parseLanguage(one) !== one);
  if (tag !== undefined)
    throw new DefinitionError(
      `The language ${JSON.stringify(tag)} of the mail ${name} is not valid. Use a language tag such as de or pt-BR.`,
    );
  const wrong = Object.keys(variables).find((one) => !VARIABLE_NAME.test(one) || BUILT_IN_VARIABLES.includes(one));
  if (wrong === undefined) return;
  throw new DefinitionError(
    `The variable ${JSON.stringify(wrong)} of the mail ${name} is not valid. Use letters and digits, and none of ${BUILT_IN_VARIABLES.join(', ')}.`,
  );
}

/** Sends mail after the transaction that caused it: at least once, normally once. */
export abstract class Mailer {
  /**
   * Adds the mail to the outbox, in the caller's transaction. Later delivery failures do not reach the caller.
   *
   * @throws TypeError for an unknown template, and for variables that do not match the template.
   */
  abstract enqueue<T extends MailTemplate>(manager: EntityManager, mail: Mail<T>): Promise<void>;
  abstract enqueue<V extends OwnVariables>(manager: EntityManager, mail: OwnMail<V>): Promise<void>;
}

declare module '../extension/ports.js' {
  interface KnownPorts {
    readonly mailer: Mailer;
  }
}
