import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { Session } from '../sessions/session.entity.js';

/** A refresh token of a session, as a keyed hash. Used tokens are kept to detect their reuse (RFC 9700 §4.14.2). */
@Entity('refresh_tokens')
@Unique('refresh_tokens_hash_unique', ['tokenHash'])
export class RefreshToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'refresh_tokens_pkey' }) id: string;
  @Index('refresh_tokens_session_idx')
  @Column('uuid', { name: 'session_id' })
  sessionId: string;
  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'refresh_tokens_session_fkey' })
  session: Session;
  @Column('varchar', { name: 'token_hash', length: 64 }) tokenHash: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'used_at', precision: 3, nullable: true }) usedAt: Date | null;
  @Index('refresh_tokens_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
