import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** A browser that is not asked for the second factor of an account again, for some days. */
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
  /** SHA-256 of its token, in hex: it has 256 random bits. */
  @Column('varchar', { name: 'token_hash', length: 64 }) tokenHash: string;
  /** The account's, when it was remembered: another password ends it. */
  @Column('integer', { name: 'credentials_version' }) credentialsVersion: number;
  /** The `User-Agent` of then. */
  @Column('varchar', { length: 255, nullable: true }) device: string | null;
  /** The client address of its last sign-in. */
  @Column('varchar', { length: 64, nullable: true }) address: string | null;
  /** When the second factor was proven there. */
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 }) lastUsedAt: Date;
  @Index('remembered_devices_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
