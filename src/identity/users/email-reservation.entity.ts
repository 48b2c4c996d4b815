import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from './user.entity.js';

/**
 * An address that an account gave up by a change of address, for as long as the change can be taken back. One that was
 * proven is reserved for the account meanwhile; of one that was not, the row only tells what a take-back restores.
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
  /** When the address had been proven; null if nobody had. */
  @Column({ type: 'timestamptz', name: 'email_verified_at', precision: 3, nullable: true })
  emailVerifiedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('email_reservations_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
