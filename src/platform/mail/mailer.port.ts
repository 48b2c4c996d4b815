import type { EntityManager } from 'typeorm';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { parseLanguage } from '../../kernel/text/language.js';

/** The mails of the service. Each is a template of that name, with the variables of {@link MailVariables}. */
export interface MailVariables {
  /** Proves the address of a new account. */
  readonly activation: { readonly link: string; readonly code?: string; readonly expiresInMinutes: number };
  /** Lets its owner choose a new password. */
  readonly recovery: { readonly link: string; readonly code?: string; readonly expiresInMinutes: number };
  /** A one-time code to sign in. */
  readonly otp: { readonly code: string; readonly expiresInMinutes: number };
  /** To the new address: confirms the change. */
  readonly 'email-change-confirm': {
    readonly link: string;
    readonly newEmail: string;
    readonly expiresInMinutes: number;
  };
  /** To the current address: a change was asked for, with a link that cancels it. */
  readonly 'email-change-notice': { readonly cancelLink: string; readonly newEmail: string };
  /** To the owner: the password was changed and all sessions were ended. */
  readonly 'password-changed': Record<never, never>;
  /** To the owner: a provider was linked, and opens the account from now on. */
  readonly 'identity-linked': { readonly provider: string; readonly revokeLink: string };
  /** To the owner, who has just proven the address: what opened the account before has ended. */
  readonly 'account-secured': Record<never, never>;
  /** To the owner: a second factor was added. */
  readonly 'factor-added': { readonly factor: string; readonly revokeLink: string };
  /** To the owner: a second factor was removed. */
  readonly 'factor-removed': { readonly factor: string };
  /** To the owner: an administrator removed all second factors. */
  readonly 'factors-reset': Record<never, never>;
  /** To the owner: an administrator asked for that, it waits so long, and how it is called off. */
  readonly 'factors-reset-planned': { readonly expiresInMinutes: number };
  /** To the owner: recovery codes were made. */
  readonly 'recovery-codes-made': Record<never, never>;
  /** To the owner: a passkey signed with a counter that was used before, so there is a copy of it. */
  readonly 'passkey-copied': { readonly factor: string };
  /** To the owner: a recovery code was used, and so many are left. */
  readonly 'recovery-code-used': { readonly left: string };
  /** To somebody for whom an administrator made an account: lets them choose its password. */
  readonly invitation: { readonly link: string; readonly expiresInMinutes: number };
  /** To who was the owner: the account is deleted. */
  readonly 'account-deleted': Record<never, never>;
  /** To the owner: an API key was made, and opens the account to programs. */
  readonly 'api-key-created': { readonly prefix: string; readonly revokeLink: string };
  /** To the owner: an API key expires on that day, in UTC. */
  readonly 'api-key-expiring': { readonly prefix: string; readonly expiresOn: string };
  /** To the owner: somebody found an API key, and it has ended. */
  readonly 'api-key-reported': { readonly prefix: string };
  /** To whom an operator names: the service can send. */
  readonly test: Record<never, never>;
}

/** The name of a mail template. */
export type MailTemplate = keyof MailVariables;

/** A mail to one mailbox. */
export interface Mail<T extends MailTemplate = MailTemplate> {
  readonly template: T;
  /** One address, in the form that goes on the wire. */
  readonly to: string;
  /** Name of the person, where known; escaped in the HTML part. */
  readonly name?: string | null;
  /** Language of the person, where known (RFC 5646); else the mail speaks that of the service (`APP_LANGUAGE`). */
  readonly language?: string | null;
  readonly variables: MailVariables[T];
}

/** One variable of a template. */
export interface TemplateVariable {
  readonly meaning: string;
  /** For checks and previews. */
  readonly sample: string;
  /** It may be missing: `{{#if …}}` tells. */
  readonly optional?: true;
  /** A user chose its text: it is written so that mail programs make no link of it. */
  readonly untrusted?: true;
  /** It lets whoever reads it act for the account: never in a subject, and each body shows at least one. */
  readonly secret?: true;
}

/** The variables of a mail of an application's own, by name, beside those that every mail has. */
type OwnVariables = Readonly<Record<string, Omit<TemplateVariable, 'meaning'> & { readonly meaning?: string }>>;

/** Values that a mail of one's own is given for its variables. */
type OwnValues<V extends OwnVariables> = {
  readonly [N in keyof V as V[N] extends { readonly optional: true } ? never : N]: string | number;
} & { readonly [N in keyof V as V[N] extends { readonly optional: true } ? N : never]?: string | number };

/** The texts of a mail in one language. */
interface MailTexts {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A mail of an application's own. Its module registers it, by `MailModule.forRoot({ mails })`. */
export interface MailDefinition<V extends OwnVariables = OwnVariables> extends MailTexts {
  readonly name: string;
  /** Its texts in other languages, by language tag. */
  readonly languages: Readonly<Record<string, MailTexts>>;
  readonly variables: Readonly<Record<keyof V & string, TemplateVariable>>;
}

/** A mail of an application's own to one mailbox. */
export interface OwnMail<V extends OwnVariables = OwnVariables> extends Omit<Mail, 'template' | 'variables'> {
  readonly template: MailDefinition<V>;
  readonly variables: OwnValues<V>;
}

const MAIL_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const VARIABLE_NAME = /^[a-z][A-Za-z0-9]*$/;
/** @internal */
const LONGEST_NAME = 60;
/** Variables that every mail has, or the layout. */
const GIVEN = ['appName', 'appUrl', 'email', 'name', 'subject', 'body', 'validity'];

/**
 * Defines a mail of an application's own. Its parts are templates as ours are (docs/mail.md), each of which can be replaced.
 *
 * @param name of small letters, digits and hyphens; `acme-invitation`.
 * @param variables beside the common ones, each with a sample; with `expiresInMinutes` there is `validity`, and the mail is
 *   given up when they are over.
 * @param languages the texts for people of other languages, by language tag (RFC 5646); the others are for everybody else.
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

/** Definition of a mail. */
interface NewMail<V extends OwnVariables> extends MailTexts {
  readonly variables: V;
  readonly languages?: Readonly<Record<string, MailTexts>>;
}

/**
 * Holds that a mail can be registered.
 *
 * @throws DefinitionError for what {@link defineMail} did not make, and for names that a mail or its variables may not have.
 */
export function assertMail(mail: MailDefinition): void {
  const { name, variables, languages } = Object(mail) as Partial<MailDefinition>;
  if (typeof name !== 'string' || variables === undefined || languages === undefined)
    throw new DefinitionError('mails of the mail settings holds what defineMail did not make.');
  if (!MAIL_NAME.test(name) || name.length > LONGEST_NAME)
    throw new DefinitionError(
      `A mail cannot be called ${JSON.stringify(name)}: write at most ${LONGEST_NAME} small letters, digits and hyphens, such as acme-invitation.`,
    );
  const tag = Object.keys(languages).find((one) => parseLanguage(one) !== one);
  if (tag !== undefined)
    throw new DefinitionError(
      `A language of the mail ${name} cannot be called ${JSON.stringify(tag)}: write a language tag, such as de or pt-BR.`,
    );
  const wrong = Object.keys(variables).find((one) => !VARIABLE_NAME.test(one) || GIVEN.includes(one));
  if (wrong === undefined) return;
  throw new DefinitionError(
    `A variable of the mail ${name} cannot be called ${JSON.stringify(wrong)}: write letters and digits, and none of ${GIVEN.join(', ')}.`,
  );
}

/** Sends mail, some time after the transaction that caused it: at least once, normally once. */
export abstract class Mailer {
  /**
   * Puts the mail into the outbox, in the caller's transaction. A failure to send it later never reaches the caller.
   *
   * @throws TypeError for a template that there is not, and for variables that are not those of the template.
   */
  abstract enqueue<T extends MailTemplate>(manager: EntityManager, mail: Mail<T>): Promise<void>;
  abstract enqueue<V extends OwnVariables>(manager: EntityManager, mail: OwnMail<V>): Promise<void>;
}

declare module '../../kernel/ports.js' {
  interface KnownPorts {
    readonly mailer: Mailer;
  }
}
