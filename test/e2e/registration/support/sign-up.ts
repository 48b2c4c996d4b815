import { PASSWORD } from '../../../support/people.js';
import type { TestApp } from '../../../support/test-app.js';

export interface AccountRow {
  readonly email: string;
  readonly username: string | null;
  readonly provider: string;
}

/** Sends `POST /api/auth/local/register` with a valid password. */
export function signUp(
  app: TestApp,
  fields: Record<string, unknown>,
): ReturnType<ReturnType<TestApp['asGuest']>['post']> {
  return app
    .asGuest()
    .post('/api/auth/local/register', { password: PASSWORD, password_confirmation: PASSWORD, ...fields });
}

export function accounts(app: TestApp): Promise<AccountRow[]> {
  return app.sql<AccountRow>('SELECT email, username, provider FROM users ORDER BY created_at, email');
}
