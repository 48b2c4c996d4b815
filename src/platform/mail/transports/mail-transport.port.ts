/** A mailbox and the name of its owner; an empty name is none. */
interface Mailbox {
  readonly name: string;
  /** One address, in the form that goes on the wire. */
  readonly address: string;
}

/** A mail as it goes out, with everything in it. */
export interface OutgoingMail {
  /** With angle brackets (RFC 5322 §3.6.4), the same for every attempt: what sends a mail twice recognises it as one. */
  readonly messageId: string;
  /** The name of its template. */
  readonly template: string;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly date: Date;
  /** Beside those of the other fields, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values of the links and codes in it, which no log may tell. */
  readonly secrets: readonly (readonly [name: string, value: string])[];
}

/** The mail was refused for good, by the recipient's side or for what it says: another try cannot help. */
export class MailRefused extends Error {}

/**
 * Hands mails to the server, or the service, that delivers them. The outbox, the tries of a day and the templates stay as they
 * are whatever does it.
 */
export abstract class MailTransport {
  /**
   * Hands one mail over. An attempt that has not settled after a minute has failed.
   *
   * @throws MailRefused if the mail is to be given up; anything else is tried again. Of its message the log tells what can
   *   be no secret.
   */
  abstract send(mail: OutgoingMail): Promise<void>;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly mailTransport: MailTransport;
  }
}
