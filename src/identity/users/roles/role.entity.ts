import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A role: a named set of permissions. A root role may do everything. */
@Entity('roles')
@Unique('roles_name_unique', ['name'])
export class Role {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'roles_pkey' }) id: string;
  @Column('varchar', { length: 100 }) name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean', { default: false }) root: boolean;
  /** `off`, `optional` or `required`: whether its people have a second factor. */
  @Column('varchar', { length: 10, default: 'optional' }) mfa: string;
  /** Days for which its people may do without. */
  @Column('integer', { name: 'mfa_grace_days', default: 0 }) mfaGraceDays: number;
  /** Bytes of files that each of its people may have sent, 0 for no bound; null if it says nothing. */
  @Column('bigint', { name: 'file_quota', nullable: true }) fileQuota: string | null;
  /** When it became `required`. */
  @Column({ type: 'timestamptz', name: 'mfa_since', precision: 3, nullable: true }) mfaSince: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
