import { createHmac } from 'node:crypto';
import { newId } from '../../src/kernel/keys/random.js';
import {
  newRecoveryCode,
  recoveryCodeHash,
} from '../../src/identity/assurance/recovery-codes/recovery-codes.service.js';
import { createPerson, PASSWORD, type Person, signIn } from './people.js';
import type { TestApp } from './test-app.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the TOTP code of a secret at a time step (RFC 4226, RFC 6238). */
export function codeAt(secret: string, step: number): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest[19]! & 15;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

export function stepNow(app: TestApp): number {
  return Math.floor(app.clock.nowMs() / 30_000);
}

export interface Authenticator {
  readonly id: string;
  readonly secret: string;
}

/** Adds an authenticator app to the account of a session. This uses the code of the current time step. */
export async function addAuthenticator(app: TestApp, token: string, name?: string): Promise<Authenticator> {
  const { body } = await app.as(token).post('/api/auth/mfa/totp', { name, current_password: PASSWORD }).expect(200);
  const { id, secret } = (body as { data: Authenticator }).data;
  await app
    .as(token)
    .post('/api/auth/mfa/totp/confirm', { id, code: codeAt(secret, stepNow(app)) })
    .expect(200);
  return { id, secret };
}

/** Creates a user with an authenticator app and a session. The clock is one step further, so a new code can be used. */
export async function secured(
  app: TestApp,
): Promise<{ readonly person: Person; readonly token: string; readonly secret: string; readonly id: string }> {
  const person = await createPerson(app);
  const token = await signIn(app, person);
  const added = await addAuthenticator(app, token);
  app.clock.advance(30);
  return { person, token, ...added };
}

export async function halfway(app: TestApp, { email, password }: Person): Promise<string> {
  const { body } = await app.asGuest().post('/api/auth/local/login', { login: email, password }).expect(401);
  const { error, mfa_token } = (body as { data: { error: string; mfa_token: string } }).data;
  expect(error).toBe('mfa_required');
  return mfa_token;
}

/**
 * Returns several MFA tokens. The sign-ins run in sequence, because a password under verification counts as a failed attempt until it is
 * verified.
 */
export async function halfways(app: TestApp, person: Person, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(await halfway(app, person));
  return tokens;
}

/** Returns the MFA token of a password sign-in whose role requires enrolling a factor. */
export async function refusedForFactor(app: TestApp, { email, password }: Person): Promise<string> {
  const { body } = await app.asGuest().post('/api/auth/local/login', { login: email, password }).expect(401);
  const { error, mfa_token } = (body as { data: { error: string; mfa_token: string } }).data;
  expect(error).toBe('mfa_enrollment_required');
  return mfa_token;
}

export async function writeRecoveryCode(app: TestApp, userId: string): Promise<string> {
  const code = newRecoveryCode();
  const values = [newId(), userId, recoveryCodeHash(userId, code), app.clock.now()];
  await app.sql('INSERT INTO recovery_codes (id, user_id, code_hash, created_at) VALUES ($1, $2, $3, $4)', values);
  return code;
}
