import type { EntityManager } from 'typeorm';
import { newId } from '../../../kernel/keys/random.js';
import type { ProviderProfile } from '../providers/provider.types.js';

export const IDENTITY_UNIQUE = 'identities_issuer_subject_unique';

const WRITE = `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`;
const OWNER = 'SELECT user_id AS "userId" FROM identities WHERE issuer = $1 AND subject = $2';
const USE = `UPDATE identities SET provider = $4, email = $5, email_verified = $6, last_used_at = $7
  WHERE user_id = $1 AND issuer = $2 AND subject = $3 RETURNING id`;

/** @throws a violation of {@link IDENTITY_UNIQUE} if it is already linked to an account. */
export async function writeIdentity(
  manager: EntityManager,
  userId: string,
  provider: string,
  profile: ProviderProfile,
  now: Date,
): Promise<string> {
  const { issuer, subject, email, emailVerified } = profile;
  const id = newId();
  await manager.query(WRITE, [id, userId, provider, issuer, subject, email, emailVerified, now]);
  return id;
}

export async function findIdentityOwner(manager: EntityManager, profile: ProviderProfile): Promise<string | null> {
  const [row] = await manager.query<{ userId: string }[]>(OWNER, [profile.issuer, profile.subject]);
  return row?.userId ?? null;
}

/** Records the use of an identity. Returns whether it is still linked to the account. Lock the account first. */
export async function useIdentity(
  manager: EntityManager,
  userId: string,
  provider: string,
  profile: ProviderProfile,
  now: Date,
): Promise<boolean> {
  const { issuer, subject, email, emailVerified } = profile;
  const parameters = [userId, issuer, subject, provider, email, emailVerified, now];
  const [rows] = await manager.query<[unknown[], number]>(USE, parameters);
  return rows.length === 1;
}
