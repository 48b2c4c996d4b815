import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** An app that shows codes of the moment (TOTP, RFC 6238). */
@Entity('totp_factors')
export class TotpFactor {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'totp_factors_pkey' }) id: string;
  @Index('totp_factors_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'totp_factors_user_fkey' })
  user: User;
  /** Name that its owner gave it. */
  @Column('varchar', { length: 100 }) name: string;
  /** Its secret, sealed: it survives a change of `APP_KEY`. */
  @Column('text', { name: 'sealed_secret' }) sealedSecret: string;
  /** The newest step whose code was used; no older one is taken (RFC 6238 §5.2). */
  @Column('integer', { name: 'last_step', default: 0 }) lastStep: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
  /** Until when its first code is waited for; null once it was shown, and the factor counts. */
  @Index('totp_factors_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt: Date | null;
}
