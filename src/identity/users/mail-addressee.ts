import { parseEmailAddress } from '../../kernel/text/email-address.js';
import type { User } from './user.entity.js';

export type MailedAccount = Pick<User, 'email' | 'emailVerifiedAt' | 'firstName' | 'language'>;

export interface MailAddressee {
  /** ASCII form of the address. */
  readonly to: string;
  /** Null for a mail without a personal greeting. */
  readonly name: string | null;
  readonly language: string | null;
}

/** A mail to an unproven address has no name, because anybody can register the address of another person under any name. */
export function mailAddressee({ email, emailVerifiedAt, firstName, language }: MailedAccount): MailAddressee | null {
  const to = parseEmailAddress(email)?.ascii;
  return to === undefined ? null : { to, name: emailVerifiedAt ? firstName : null, language };
}
