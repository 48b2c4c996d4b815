import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** An authenticator app (TOTP, RFC 6238). */
@Entity('totp_factors')
export class TotpFactor {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'totp_factors_pkey' }) id: string;
  @Index('totp_factors_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'totp_factors_user_fkey' })
  user: User;
  @Column('varchar', { length: 100 }) name: string;
  /** The encrypted secret. It survives a change of `APP_KEY`. */
  @Column('text', { name: 'sealed_secret' }) sealedSecret: string;
  /** The newest time step whose code was used. Older steps are refused (RFC 6238 §5.2). */
  @Column('integer', { name: 'last_step', default: 0 }) lastStep: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
  /** Deadline for the first code; null once it was confirmed and the factor counts. */
  @Index('totp_factors_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt: Date | null;
}
