import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { Role } from './role.entity.js';

/** A missing list covers all fields. */
export interface PermissionFields {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** Allows or denies a role the actions on a resource, or on all resources with a prefix (CONTRACT §5). */
@Entity('permissions')
@Unique('permissions_role_resource_unique', ['roleId', 'resource'])
export class Permission {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'permissions_pkey' }) id: string;
  @Column('uuid', { name: 'role_id' }) roleId: string;
  @ManyToOne(() => Role, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'role_id', foreignKeyConstraintName: 'permissions_role_fkey' })
  role: Role;
  /** `auth.me`, or a prefix such as `content.post.*`. */
  @Column('varchar', { length: 255 }) resource: string;
  /** `allow`, `deny`, or a rule in CEL. */
  @Column('text') value: string;
  @Column('jsonb', { nullable: true }) fields: PermissionFields | null;
  /**
   * Schema version at which the permission was saved. It refers to the schemas and fields that had its names then, or that were the first
   * to have them later.
   */
  @Column('int', { name: 'schema_version', default: 0 }) schemaVersion: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
