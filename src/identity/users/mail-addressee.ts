import { parseEmailAddress } from '../../kernel/text/email-address.js';
import type { User } from './user.entity.js';

/** The parts of an account that its mails depend on. */
export type MailedAccount = Pick<User, 'email' | 'emailVerifiedAt' | 'firstName' | 'language'>;

/** The recipient of a mail. */
export interface MailAddressee {
  /** The address, in the form that is sent. */
  readonly to: string;
  /** Null if the mail greets nobody by name. */
  readonly name: string | null;
  readonly language: string | null;
}

/**
 * Returns the recipient of the mails to an account; null if its address cannot receive mail. A mail to an address that is not proven has no
 * name, because anybody can register the address of another person under any name.
 */
export function mailAddressee({ email, emailVerifiedAt, firstName, language }: MailedAccount): MailAddressee | null {
  const to = parseEmailAddress(email)?.ascii;
  return to === undefined ? null : { to, name: emailVerifiedAt ? firstName : null, language };
}
