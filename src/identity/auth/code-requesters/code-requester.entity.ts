import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** A client that requested a mailed code, and its own attempt at the code (ADR 0016). */
@Entity('code_requesters')
@Index('code_requesters_user_idx', ['userId', 'kind', 'requester'])
export class CodeRequester {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'code_requesters_pkey' }) id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'code_requesters_user_fkey' })
  user: User;
  /** Purpose of the code: `otp`, `recovery` or `activation`. */
  @Column('varchar', { length: 40 }) kind: string;
  /** Keyed hash of the client's address block or of its `session_id`. */
  @Column('varchar', { length: 64 }) requester: string;
  /** Keyed hash of the client's address block. */
  @Column('varchar', { length: 64 }) client: string;
  /** Keyed hash of the network that the attempt counts for. */
  @Column('varchar', { length: 64 }) network: string;
  /** Whether the account has a session in the network: strangers cannot use up its attempts. */
  @Column('boolean', { name: 'is_known' }) isKnown: boolean;
  /** Keyed hashes of the codes that were mailed last. Typing one of them is not a guess. */
  @Column('varchar', { array: true, length: 64, default: [] }) codes: string[];
  @Column('boolean', { default: false }) attempted: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('code_requesters_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
