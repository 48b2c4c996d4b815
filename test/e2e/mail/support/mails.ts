import type { EntityManager } from 'typeorm';
import { Mailer, type Mail, type MailTemplate } from '../../../../src/platform/mail/mailer.port.js';
import type { TestApp } from '../../../support/test-app.js';

let counter = 0;

/** Returns an address that no other test uses. */
export function newAddress(): string {
  counter += 1;
  return `person${counter}.${Math.random().toString(36).slice(2)}@example.com`;
}

export const LINK = 'http://lintel.test/auth/local/activate#token=q8TzVb2mC0y1uQm8TzVb2mC0y1uQmq8TzVb2mC0yxAb';

export function activation(to: string, name?: string): Mail<'activation'> {
  return { template: 'activation', to, name, variables: { link: LINK, expiresInMinutes: 1_440 } };
}

/** A mail in which nothing expires. */
export function notice(to: string): Mail<'password-changed'> {
  return { template: 'password-changed', to, variables: {} };
}

/** Enqueues a mail in a separate transaction. */
export function enqueue<T extends MailTemplate>(app: TestApp, mail: Mail<T>): Promise<void> {
  return app.database.transaction((manager: EntityManager) => app.get(Mailer).enqueue(manager, mail));
}

export async function pending(app: TestApp, to?: string): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM background_jobs
    WHERE kind = 'mail.send' AND state = 'due' AND ($1::text IS NULL OR payload ->> 'recipient' = $1)`;
  const [row] = await app.sql<{ count: number }>(text, [to ?? null]);
  return row?.count ?? 0;
}
