import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../identity/users/user.entity.js';
import type { KeyScope } from '../../kernel/principal.types.js';

@Entity('api_keys')
@Unique('api_keys_hash_unique', ['keyHash'])
export class ApiKey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' }) id: string;
  @Index('api_keys_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_keys_user_fkey' })
  user: User;
  @Column('varchar', { length: 100 }) name: string;
  @Column('varchar', { length: 20 }) prefix: string;
  /** SHA-256 of the key, in hex. It is not keyed: a key has 178 random bits and must survive a change of `APP_KEY`. */
  @Column('varchar', { name: 'key_hash', length: 64 }) keyHash: string;
  /** Null for all permissions of its owner. */
  @Column('jsonb', { nullable: true }) scopes: readonly KeyScope[] | null;
  /** Networks that the key can be used from, as text; null for everywhere. */
  @Column('jsonb', { nullable: true }) addresses: readonly string[] | null;
  /** Schema version at creation. Names in its scopes refer to that version. */
  @Column('int', { name: 'schema_version' }) schemaVersion: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('api_keys_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt: Date | null;
  @Column({ type: 'timestamptz', name: 'rotated_at', precision: 3, nullable: true }) rotatedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'warned_at', precision: 3, nullable: true }) warnedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
}
