import type { EntityManager } from 'typeorm';
import { newId } from '../../kernel/random.js';
import type { ProviderProfile } from '../providers/provider.types.js';

/** The constraint that makes an identity one person's. */
export const IDENTITY_UNIQUE = 'identities_issuer_subject_unique';

const WRITE = `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`;
const USE = `UPDATE identities i SET provider = $3, email = $4, email_verified = $5, last_used_at = $6
  FROM users u WHERE u.id = i.user_id AND i.issuer = $1 AND i.subject = $2 RETURNING u.id, u.activated`;

/** An account that an identity belongs to. */
export interface IdentityOwner {
  readonly id: string;
  readonly activated: boolean;
}

/**
 * Gives an identity to an account.
 *
 * @throws a violation of {@link IDENTITY_UNIQUE} where it belongs to one already.
 */
export async function writeIdentity(
  manager: EntityManager,
  userId: string,
  provider: string,
  profile: ProviderProfile,
  now: Date,
): Promise<void> {
  const { issuer, subject, email, emailVerified } = profile;
  await manager.query(WRITE, [newId(), userId, provider, issuer, subject, email, emailVerified, now]);
}

/** Finds the owner of an identity and notes its use; null where nobody has it. */
export async function useIdentity(
  manager: EntityManager,
  provider: string,
  profile: ProviderProfile,
  now: Date,
): Promise<IdentityOwner | null> {
  const { issuer, subject, email, emailVerified } = profile;
  const parameters = [issuer, subject, provider, email, emailVerified, now];
  const [rows] = await manager.query<[IdentityOwner[], number]>(USE, parameters);
  return rows[0] ?? null;
}
