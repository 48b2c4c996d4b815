import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A challenge that was answered. Its row keeps it from being answered once more. */
@Entity('used_passkey_challenges')
export class UsedPasskeyChallenge {
  /** Its random part, in base64url. */
  @PrimaryColumn('varchar', { length: 22, primaryKeyConstraintName: 'used_passkey_challenges_pkey' }) id: string;
  /** When it would have expired; from then on nobody needs the row. */
  @Index('used_passkey_challenges_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
