import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** A code on paper for who has lost the second factor. It is good once, and goes when it is used. */
@Entity('recovery_codes')
@Unique('recovery_codes_hash_unique', ['userId', 'codeHash'])
export class RecoveryCode {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'recovery_codes_pkey' }) id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'recovery_codes_user_fkey' })
  user: User;
  /** SHA-256 of account and code, in hex: it has 80 random bits, and a change of `APP_KEY` must not end it. */
  @Column('varchar', { name: 'code_hash', length: 64 }) codeHash: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
