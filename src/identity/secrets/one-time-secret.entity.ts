import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../users/user.entity.js';

/** A secret that can be used once, for one purpose (THREATS, "One-time secrets"). Only its hash is stored. */
@Entity('one_time_secrets')
@Index('one_time_secrets_user_purpose_idx', ['userId', 'purpose'])
export class OneTimeSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'one_time_secrets_pkey' }) id: string;
  @Column('varchar', { length: 40 }) purpose: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'one_time_secrets_user_fkey' })
  user: User;
  /** Keyed hash (HMAC-SHA-256) over purpose and secret; codes include the account. */
  @Index('one_time_secrets_hash_idx')
  @Column('varchar', { name: 'secret_hash', length: 64 })
  secretHash: string;
  /** Data of the secret, such as the address that it proves or the session that it opens. */
  @Column('jsonb', { default: {} }) data: object;
  /** Remaining attempts; null for a token, which cannot be guessed. */
  @Column('integer', { name: 'attempts_left', nullable: true }) attemptsLeft: number | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('one_time_secrets_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
