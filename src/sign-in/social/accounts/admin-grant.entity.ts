import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** An address of `AUTH_ADMIN_EMAILS` that was granted the admin role. This happens once, so a later demotion is permanent. */
@Entity('admin_grants')
export class AdminGrant {
  /** The normalised address. */
  @PrimaryColumn('varchar', { name: 'email_key', length: 320, primaryKeyConstraintName: 'admin_grants_pkey' })
  emailKey: string;
  /** Null after the account was deleted. */
  @Column('uuid', { name: 'user_id', nullable: true }) userId: string | null;
  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'admin_grants_user_fkey' })
  user: User | null;
  @Column({ type: 'timestamptz', name: 'granted_at', precision: 3 }) grantedAt: Date;
}
