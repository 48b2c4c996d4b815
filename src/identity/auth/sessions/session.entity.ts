import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** A sign-in on one device. An access token is valid only while its session exists. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pkey' }) id: string;
  @Index('sessions_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sessions_user_fkey' })
  user: User;
  /** Sign-in method: `local`, `otp`, or the name of a social provider. */
  @Column('varchar', { length: 40 }) provider: string;
  /** The `User-Agent` of the sign-in. */
  @Column('varchar', { length: 255, nullable: true }) device: string | null;
  /** Client address of the sign-in. */
  @Column('varchar', { length: 64, nullable: true }) address: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 }) lastUsedAt: Date;
  /** Last step-up; null if there was none since the sign-in. */
  @Column({ type: 'timestamptz', name: 'proven_at', precision: 3, nullable: true }) provenAt: Date | null;
  /** Authentication methods of the session (`amr`, RFC 8176): `password`, `totp`, …. */
  @Column('varchar', { array: true, length: 40, default: [] }) amr: string[];
  /** 2 if two factors were proven. */
  @Column('smallint', { default: 1 }) level: number;
  /** When the second factor was last proven; null if never. */
  @Column({ type: 'timestamptz', name: 'level_at', precision: 3, nullable: true }) levelAt: Date | null;
  @Index('sessions_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
