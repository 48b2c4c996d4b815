/** A mailbox and the name of its owner; the name is empty if unknown. */
interface Mailbox {
  readonly name: string;
  /** One address, in the form of the SMTP envelope. */
  readonly address: string;
}

/** A complete mail, ready to be sent. */
export interface OutgoingMail {
  /** With angle brackets (RFC 5322 §3.6.4). It is the same for every attempt, so that duplicates can be detected. */
  readonly messageId: string;
  /** The name of its template. */
  readonly template: string;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly date: Date;
  /** Additional headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values of the links and codes in the mail. They must not be logged. */
  readonly secrets: readonly (readonly [name: string, value: string])[];
}

/** The mail was rejected permanently, by the recipient's server or for its content. It is not retried. */
export class MailRefused extends Error {}

/** Passes mails to the server or service that delivers them. The outbox, the retries and the templates work with every transport. */
export abstract class MailTransport {
  /**
   * Sends one mail. An attempt that has not settled after a minute counts as failed.
   *
   * @throws MailRefused if the mail must not be retried. Other errors are retried. Secrets are removed from their logged messages.
   */
  abstract send(mail: OutgoingMail): Promise<void>;
}

declare module '../../extension/ports.js' {
  interface KnownPorts {
    readonly mailTransport: MailTransport;
  }
}
