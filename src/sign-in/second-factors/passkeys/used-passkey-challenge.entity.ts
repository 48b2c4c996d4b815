import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An answered challenge. The row prevents a second use. */
@Entity('used_passkey_challenges')
export class UsedPasskeyChallenge {
  /** Nonce of the challenge, in base64url. */
  @PrimaryColumn('varchar', { length: 22, primaryKeyConstraintName: 'used_passkey_challenges_pkey' }) id: string;
  /** Expiry of the challenge. The row can be deleted afterwards. */
  @Index('used_passkey_challenges_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
