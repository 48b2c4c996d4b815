import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** An account at a sign-in provider that is linked to a user. The provider's profile is not stored. */
@Entity('identities')
@Unique('identities_issuer_subject_unique', ['issuer', 'subject'])
export class Identity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'identities_pkey' }) id: string;
  @Index('identities_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'identities_user_fkey' })
  user: User;
  /** Name under which the provider was configured when the identity was last used. */
  @Column('varchar', { length: 40 }) provider: string;
  /** Issuer identifier (OpenID Connect Core §2). Issuer and `subject` identify the user, because the name of a provider may change. */
  @Column('varchar', { length: 512 }) issuer: string;
  @Column('varchar', { length: 255 }) subject: string;
  /** The e-mail address that the provider sent at the last sign-in. It is not used as an identifier. */
  @Column('varchar', { length: 320, nullable: true }) email: string | null;
  @Column('boolean', { name: 'email_verified' }) emailVerified: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 }) lastUsedAt: Date;
}
