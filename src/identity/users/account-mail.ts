import type { EntityManager } from 'typeorm';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import type { Mailer, MailTemplate, MailVariables } from '../../platform/mail/mailer.port.js';
import type { User } from './user.entity.js';

export type MailedAccount = Pick<User, 'email' | 'emailVerifiedAt' | 'firstName' | 'language'>;

interface AccountMail<T extends MailTemplate> {
  readonly template: T;
  readonly variables: MailVariables[T];
  /** Name in place of that of the account. */
  readonly name?: string | null;
}

/**
 * Enqueues a mail to an account, in the caller's transaction. An address that is not valid gets none. A mail to an unproven address has no
 * name, because anybody can register the address of another person under any name.
 */
export async function mailAccount<T extends MailTemplate>(
  mailer: Mailer,
  manager: EntityManager,
  { email, emailVerifiedAt, firstName, language }: MailedAccount,
  mail: AccountMail<T>,
): Promise<void> {
  const to = parseEmailAddress(email)?.ascii;
  if (to === undefined) return;
  await mailer.enqueue(manager, { to, name: emailVerifiedAt ? firstName : null, language, ...mail });
}
