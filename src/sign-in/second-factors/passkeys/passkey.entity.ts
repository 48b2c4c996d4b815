import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** A passkey (WebAuthn Level 3, "public key credential"): what it signs is a second factor, or both. */
@Entity('passkeys')
@Unique('passkeys_credential_unique', ['credentialId'])
export class Passkey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'passkeys_pkey' }) id: string;
  @Index('passkeys_user_idx')
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'passkeys_user_fkey' })
  user: User;
  /** Name that its owner gave it. */
  @Column('varchar', { length: 100 }) name: string;
  /** In base64url. */
  @Column('varchar', { name: 'credential_id', length: 1_400 }) credentialId: string;
  /** As COSE has it (RFC 9052). */
  @Column('bytea', { name: 'public_key' }) publicKey: Buffer;
  /** The counter of its last signature; 0 for one that does not count, as those that are synchronised. */
  @Column('bigint', { name: 'sign_count' }) signCount: string;
  /** Ways in which a browser reaches it, as it said itself. */
  @Column('varchar', { array: true, length: 20, default: [] }) transports: string[];
  /** The make of what keeps it; zeros where that is not said. */
  @Column('uuid') aaguid: string;
  /** The host for which it was made. */
  @Column('varchar', { name: 'rp_id', length: 255 }) rpId: string;
  /** Whether it proved who used it when it was made, by a PIN or a finger. */
  @Column('boolean', { name: 'verifies_user' }) verifiesUser: boolean;
  /** Whether it may be on several devices; never changes. */
  @Column('boolean', { name: 'backup_eligible' }) backupEligible: boolean;
  /** Whether it is, as of its last signature. */
  @Column('boolean', { name: 'backed_up' }) backedUp: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
}
