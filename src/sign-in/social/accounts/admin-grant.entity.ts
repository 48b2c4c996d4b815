import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** An address of `AUTH_ADMIN_EMAILS` that has been granted the admin role: once, ever. A later demotion stays. */
@Entity('admin_grants')
export class AdminGrant {
  /** The address in the form by which addresses are compared. */
  @PrimaryColumn('varchar', { name: 'email_key', length: 320, primaryKeyConstraintName: 'admin_grants_pkey' })
  emailKey: string;
  /** Account that received it; null once that is gone. */
  @Column('uuid', { name: 'user_id', nullable: true }) userId: string | null;
  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'admin_grants_user_fkey' })
  user: User | null;
  @Column({ type: 'timestamptz', name: 'granted_at', precision: 3 }) grantedAt: Date;
}
