import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../users/user.entity.js';

/** A change of address that waits for its confirmation. One an account: the newest request wins. */
@Entity('email_changes')
@Unique('email_changes_user_unique', ['userId'])
export class EmailChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'email_changes_pkey' }) id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'email_changes_user_fkey' })
  user: User;
  /** The address that will be the account's. */
  @Column('varchar', { name: 'new_email', length: 320 }) newEmail: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt: Date;
}
