import { DataSource } from 'typeorm';
import { SignInService } from '../dist/src/identity/auth/sign-in/sign-in.service.js';
import { OneTimeSecrets } from '../dist/src/identity/secrets/one-time-secrets.port.js';
import { OTP_CODE } from '../dist/src/sign-in/otp/otp.service.js';
import { newId } from '../dist/src/kernel/keys/random.js';

const CLIENT = { address: '127.0.0.1', device: null };
const PEOPLE = `INSERT INTO users (id, email, email_key, email_verified_at, provider, activated, created_at, updated_at)
  SELECT id, id || '@example.com', id || '@example.com', now(), 'local', true, now(), now() FROM unnest($1::uuid[]) AS id`;

/** Creates accounts with verified addresses, each with a pending mailed code and a session with its refresh token. */
export async function preparePeople(app, count) {
  const ids = Array.from({ length: count }, newId);
  const dataSource = app.get(DataSource);
  await dataSource.query(PEOPLE, [ids]);
  const people = [];
  for (const userId of ids) {
    const code = { purpose: OTP_CODE, length: 6, attempts: 3, data: { email: `${userId}@example.com` } };
    const request = { ...code, userId, lifetimeSeconds: 3_600, replace: false };
    const { secret } = await app.get(OneTimeSecrets).issueCode(dataSource.manager, request);
    const proven = { userId, provider: 'otp', client: CLIENT, credentialsVersion: 0, activated: true };
    const { refresh_token } = await app.get(SignInService).complete(() => proven);
    people.push({ email: `${userId}@example.com`, code: secret, refresh_token });
  }
  return people;
}
