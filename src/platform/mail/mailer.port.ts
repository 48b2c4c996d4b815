import type { EntityManager } from 'typeorm';

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
  readonly 'identity-linked': { readonly provider: string };
  /** To the owner, who has just proven the address: what opened the account before has ended. */
  readonly 'account-secured': Record<never, never>;
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
  readonly variables: MailVariables[T];
}

/** Sends mail, some time after the transaction that caused it: at least once, normally once. */
export abstract class Mailer {
  /**
   * Puts the mail into the outbox, in the caller's transaction. A failure to send it later never reaches the caller.
   *
   * @throws TypeError for a template that there is not.
   */
  abstract enqueue<T extends MailTemplate>(manager: EntityManager, mail: Mail<T>): Promise<void>;
}
