import type { EntityManager } from 'typeorm';
import { newId } from '../../../kernel/keys/random.js';
import type { ProviderProfile } from '../providers/provider.types.js';

/** The constraint that makes an identity one person's. */
export const IDENTITY_UNIQUE = 'identities_issuer_subject_unique';

const WRITE = `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`;
const OWNER = 'SELECT user_id AS "userId" FROM identities WHERE issuer = $1 AND subject = $2';
const USE = `UPDATE identities SET provider = $4, email = $5, email_verified = $6, last_used_at = $7
  WHERE user_id = $1 AND issuer = $2 AND subject = $3 RETURNING id`;

/**
 * Gives an identity to an account, and returns its id.
 *
 * @throws a violation of {@link IDENTITY_UNIQUE} if it belongs to one already.
 */
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

/** Returns the account that an identity belongs to; null if nobody has it. */
export async function findIdentityOwner(manager: EntityManager, profile: ProviderProfile): Promise<string | null> {
  const [row] = await manager.query<{ userId: string }[]>(OWNER, [profile.issuer, profile.subject]);
  return row?.userId ?? null;
}

/** Notes the use of an identity of an account, and answers whether it is the account's still. Lock the account first. */
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
