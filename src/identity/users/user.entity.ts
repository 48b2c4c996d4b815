import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { LANGUAGE_MAX } from '../../kernel/text/language.js';

/** The `provider` of an account without a sign-in method. Programs use it by API keys. */
export const SERVICE_ACCOUNT = 'service';

/** The `provider` of a placeholder account, which replaces erased accounts in references. */
export const ERASED_ACCOUNT = 'erased';

/** Topic of account changes that affect its sessions: roles, activation, address, deletion. The key is the user id. */
export const USER_TOPIC = 'user';

/** Addresses and usernames are compared by their `…Key`, ignoring case. */
@Entity('users')
@Unique('users_email_key_unique', ['emailKey'])
@Unique('users_username_key_unique', ['usernameKey'])
export class User {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' }) id: string;
  @Column('varchar', { length: 320 }) email: string;
  @Column('varchar', { name: 'email_key', length: 320 }) emailKey: string;
  /** When the user proved the address; null if it is unproven. */
  @Column({ type: 'timestamptz', name: 'email_verified_at', precision: 3, nullable: true })
  emailVerifiedAt: Date | null;
  @Column('varchar', { length: 100, nullable: true }) username: string | null;
  @Column('varchar', { name: 'username_key', length: 200, nullable: true }) usernameKey: string | null;
  /** argon2id hash in PHC string format; null if the account has no password. */
  @Column('varchar', { name: 'password_hash', length: 255, nullable: true }) passwordHash: string | null;
  /** Incremented whenever credentials are revoked. A proof under a lower version cannot start a session. */
  @Column('integer', { name: 'credentials_version', default: 0 }) credentialsVersion: number;
  @Column('varchar', { name: 'first_name', length: 255, nullable: true }) firstName: string | null;
  @Column('varchar', { name: 'last_name', length: 255, nullable: true }) lastName: string | null;
  /** Language of the user's mails (RFC 5646); null if unknown. */
  @Column('varchar', { length: LANGUAGE_MAX, nullable: true }) language: string | null;
  /** Origin of the account: `local`, the name of a social provider, {@link SERVICE_ACCOUNT} or {@link ERASED_ACCOUNT}. */
  @Column('varchar', { length: 40, default: 'local' }) provider: string;
  @Column('boolean', { default: false }) activated: boolean;
  /** Whether sign-in requires a second factor. Updated by the services that store the factors. */
  @Column('boolean', { name: 'second_factor', default: false }) secondFactor: boolean;
  /** First activation. An account that an administrator deactivated later cannot activate itself again. */
  @Column({ type: 'timestamptz', name: 'activated_at', precision: 3, nullable: true }) activatedAt: Date | null;
  /** An administrator created the account, and its user was sent a link but has not chosen a password yet. */
  @Column('boolean', { default: false }) invited: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
