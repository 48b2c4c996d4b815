import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Topic of changes of roles and permissions. */
export const ROLES_TOPIC = 'roles';

/** A root role has all permissions. */
@Entity('roles')
@Unique('roles_name_unique', ['name'])
export class Role {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'roles_pkey' }) id: string;
  @Column('varchar', { length: 100 }) name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean', { default: false }) root: boolean;
  /** Second factor of the users of the role: `off`, `optional` or `required`. */
  @Column('varchar', { length: 10, default: 'optional' }) mfa: string;
  /** Grace period in days before a required factor is enforced. */
  @Column('integer', { name: 'mfa_grace_days', default: 0 }) mfaGraceDays: number;
  /** Bytes of files that each user of the role may store. 0: unlimited; null: not set by this role. */
  @Column('bigint', { name: 'file_quota', nullable: true }) fileQuota: string | null;
  /** When `mfa` became `required`. */
  @Column({ type: 'timestamptz', name: 'mfa_since', precision: 3, nullable: true }) mfaSince: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
