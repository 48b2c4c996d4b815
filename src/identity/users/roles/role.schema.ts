import { defineSystemSchema } from '../../../kernel/system-schema.js';
import '../users.errors.js';

/** Roles are assigned on the account, which handles the side effects. */
export const ROLE_SCHEMA = defineSystemSchema({
  definition: {
    name: 'role',
    namespace: 'roles',
    label_field: 'name',
    fields: [
      { type: 'uuid', name: 'id' },
      { type: 'string', name: 'name', size: 100, unique: true },
      { type: 'text', name: 'description', optional: true },
      { type: 'bool', name: 'root', default: false },
      { type: 'string', name: 'mfa', size: 10, default: 'optional' },
      { type: 'int32', name: 'mfa_grace_days', default: 0 },
      { type: 'int64', name: 'file_quota', optional: true },
      { type: 'relation', name: 'users', relation: { schema: 'user', field: 'roles', type: 'm2m' } },
      {
        type: 'relation',
        name: 'permissions',
        relation: { schema: 'permission', field: 'role', type: 'o2m', owner: true },
      },
      {
        type: 'relation',
        name: 'saved_views',
        relation: { schema: 'view', field: 'role', type: 'o2m', owner: true },
      },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'updated_at' },
    ],
  },
  internalColumns: { mfa_since: 'timestamptz' },
  writtenBy: 'root',
  inverseFields: ['users', 'saved_views'],
  writeErrors: ['last_root_account'],
  uniques: { roles_name_unique: 'name' },
});
