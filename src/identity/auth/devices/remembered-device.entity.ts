import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** A browser that skips the second factor of an account for some days. */
@Entity('remembered_devices')
@Unique('remembered_devices_token_unique', ['tokenHash'])
export class RememberedDevice {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'remembered_devices_pkey' }) id: string;
  @Index('remembered_devices_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'remembered_devices_user_fkey' })
  user: User;
  /** SHA-256 of its token, in hex. The token has 256 random bits. */
  @Column('varchar', { name: 'token_hash', length: 64 }) tokenHash: string;
  /** Credentials version of the account when the browser was remembered. A password change makes it invalid. */
  @Column('integer', { name: 'credentials_version' }) credentialsVersion: number;
  /** The `User-Agent` when the browser was remembered. */
  @Column('varchar', { length: 255, nullable: true }) device: string | null;
  /** Client address of the last sign-in. */
  @Column('varchar', { length: 64, nullable: true }) address: string | null;
  /** When the second factor was proven in the browser. */
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 }) lastUsedAt: Date;
  @Index('remembered_devices_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
