import type { Response } from 'supertest';
import { createApiKey } from '../../src/kernel/keys/api-key-format.js';
import { PASSWORD } from './people.js';
import type { TestApp } from './test-app.js';

export interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly key: string;
  readonly scopes: unknown;
  readonly created_at: string;
  readonly expires_at: string | null;
}

export async function makeKey(app: TestApp, token: string, body: object = {}): Promise<MadeKey> {
  const answer = await app
    .as(token)
    .post('/api/auth/keys', { name: 'for a test', current_password: PASSWORD, ...body })
    .expect(201);
  return (answer.body as { data: MadeKey }).data;
}

export async function makeServiceKey(
  app: TestApp,
  rootToken: string,
  roles: readonly string[],
  body: object = {},
): Promise<MadeKey & { readonly accountId: string }> {
  const root = app.as(rootToken);
  const account = await root.post('/api/service-accounts', { name: 'a program', roles }).expect(201);
  const { id } = (account.body as { data: { id: string } }).data;
  const key = await root
    .post(`/api/service-accounts/${id}/keys`, { name: 'for a test', current_password: PASSWORD, ...body })
    .expect(201);
  return { ...(key.body as { data: MadeKey }).data, accountId: id };
}

/** Returns a well-formed key that was never issued. */
export function unknownKey(): string {
  return createApiKey('pat').key;
}

export function outcome({ status, body }: Response): [number, string | undefined] {
  return [status, (body as { data?: { error?: string } } | undefined)?.data?.error];
}

export function tally(answers: readonly Response[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = outcome(answer).join(' ').trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
