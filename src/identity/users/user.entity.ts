import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { LANGUAGE_MAX } from '../../kernel/text/language.js';

/** The `provider` of an account that has no way to sign in: programs come in as it by API keys (CONTRACT §11). */
export const SERVICE_ACCOUNT = 'service';

/** The `provider` of an account that is nobody's any more: what has to refer to one that was erased refers to it. */
export const ERASED_ACCOUNT = 'erased';

/** An account. Addresses and usernames are compared by their `…Key`, without regard to case. */
@Entity('users')
@Unique('users_email_key_unique', ['emailKey'])
@Unique('users_username_key_unique', ['usernameKey'])
export class User {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' }) id: string;
  @Column('varchar', { length: 320 }) email: string;
  @Column('varchar', { name: 'email_key', length: 320 }) emailKey: string;
  /** When the person proved that the address is theirs; null while nobody has. */
  @Column({ type: 'timestamptz', name: 'email_verified_at', precision: 3, nullable: true })
  emailVerifiedAt: Date | null;
  @Column('varchar', { length: 100, nullable: true }) username: string | null;
  @Column('varchar', { name: 'username_key', length: 200, nullable: true }) usernameKey: string | null;
  /** argon2id, in PHC string format; null for an account that has no password. */
  @Column('varchar', { name: 'password_hash', length: 255, nullable: true }) passwordHash: string | null;
  /** Goes up whenever what opened the account before ends; what was proven under a lower number begins no session. */
  @Column('integer', { name: 'credentials_version', default: 0 }) credentialsVersion: number;
  @Column('varchar', { name: 'first_name', length: 255, nullable: true }) firstName: string | null;
  @Column('varchar', { name: 'last_name', length: 255, nullable: true }) lastName: string | null;
  /** The language of the person (RFC 5646), in which they are mailed; null while nobody knows. */
  @Column('varchar', { length: LANGUAGE_MAX, nullable: true }) language: string | null;
  /** Origin of the account: `local`, the name of a social provider, {@link SERVICE_ACCOUNT} or {@link ERASED_ACCOUNT}. */
  @Column('varchar', { length: 40, default: 'local' }) provider: string;
  @Column('boolean', { default: false }) activated: boolean;
  /** Whether a second factor is asked for; kept by those who keep the factors. */
  @Column('boolean', { name: 'second_factor', default: false }) secondFactor: boolean;
  /** When it first became active; an account that an administrator shut out cannot let itself in again. */
  @Column({ type: 'timestamptz', name: 'activated_at', precision: 3, nullable: true }) activatedAt: Date | null;
  /** An administrator made it for somebody who was mailed a link, and has not chosen a password yet. */
  @Column('boolean', { default: false }) invited: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
