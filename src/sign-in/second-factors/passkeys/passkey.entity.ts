import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../identity/users/user.entity.js';

/** A passkey (WebAuthn Level 3, "public key credential"). Its signature is one factor, or two if it verifies its user. */
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
  @Column('varchar', { length: 100 }) name: string;
  /** In base64url. */
  @Column('varchar', { name: 'credential_id', length: 1_400 }) credentialId: string;
  /** COSE key (RFC 9052). */
  @Column('bytea', { name: 'public_key' }) publicKey: Buffer;
  /** Counter of the last signature; 0 if the authenticator does not count, for example if the passkey is synchronised. */
  @Column('bigint', { name: 'sign_count' }) signCount: string;
  /** Transports, as reported by the authenticator. */
  @Column('varchar', { array: true, length: 20, default: [] }) transports: string[];
  /** Model of the authenticator; zeros if it is not disclosed. */
  @Column('uuid') aaguid: string;
  @Column('varchar', { name: 'rp_id', length: 255 }) rpId: string;
  /** Whether it verified its user at registration, by PIN or biometrics. */
  @Column('boolean', { name: 'verifies_user' }) verifiesUser: boolean;
  /** Whether it can be stored on several devices. It never changes. */
  @Column('boolean', { name: 'backup_eligible' }) backupEligible: boolean;
  /** Whether it was backed up at its last signature. */
  @Column('boolean', { name: 'backed_up' }) backedUp: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
}
