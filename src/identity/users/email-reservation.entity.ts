import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from './user.entity.js';

/**
 * An address that an account gave up by an e-mail change, for as long as the change can be cancelled. A proven address is reserved for the
 * account during that time. For an unproven one, the row only records the address to restore.
 */
@Entity('email_reservations')
@Index('email_reservations_user_key_idx', ['userId', 'emailKey'])
export class EmailReservation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'email_reservations_pkey' }) id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'email_reservations_user_fkey' })
  user: User;
  @Column('varchar', { length: 320 }) email: string;
  @Index('email_reservations_key_idx')
  @Column('varchar', { name: 'email_key', length: 320 })
  emailKey: string;
  /** Null if the address was not proven. */
  @Column({ type: 'timestamptz', name: 'email_verified_at', precision: 3, nullable: true })
  emailVerifiedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('email_reservations_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
