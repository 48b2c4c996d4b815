import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** A one-time code for users who lost their second factor. It is deleted when it is used. */
@Entity('recovery_codes')
@Unique('recovery_codes_hash_unique', ['userId', 'codeHash'])
export class RecoveryCode {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'recovery_codes_pkey' }) id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'recovery_codes_user_fkey' })
  user: User;
  /** SHA-256 of account and code, in hex. It is not keyed: the code has 80 random bits and must survive a change of `APP_KEY`. */
  @Column('varchar', { name: 'code_hash', length: 64 }) codeHash: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
