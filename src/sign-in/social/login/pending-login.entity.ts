import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Session } from '../../../identity/auth/sessions/session.entity.js';

/** A login in progress at a provider. The row is deleted when the browser returns, so each login completes at most once. */
@Entity('pending_logins')
export class PendingLogin {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pending_logins_pkey' }) id: string;
  @Column('varchar', { length: 40 }) provider: string;
  /** Keyed hash of the browser's state cookie. */
  @Column('varchar', { name: 'binding_hash', length: 64 }) bindingHash: string;
  /** Nonce that the ID token must contain (OpenID Connect Core §3.1.2.1); empty for OAuth 2 providers. */
  @Column('varchar', { length: 64 }) nonce: string;
  @Column('text', { nullable: true }) carrier: string | null;
  /** PKCE challenge of the page that started the login (RFC 7636 §4.2). */
  @Column('varchar', { name: 'code_challenge', length: 43, nullable: true }) codeChallenge: string | null;
  @Index('pending_logins_link_session_idx')
  @Column('uuid', { name: 'link_session_id', nullable: true })
  linkSessionId: string | null;
  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'link_session_id', foreignKeyConstraintName: 'pending_logins_session_fkey' })
  linkSession: Session | null;
  /** Whether the login only renews the proof of the session. */
  @Column('boolean', { name: 'is_step_up' }) isStepUp: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Index('pending_logins_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
