import { LANGUAGE_MAX } from '../../kernel/text/language.js';
import { defineSystemSchema } from '../../kernel/system-schema.js';
import './users.errors.js';

/** A permission for all fields does not include the `protectedFields`, which determine identity and access. */
export const USER_SCHEMA = defineSystemSchema({
  definition: {
    name: 'user',
    namespace: 'users',
    label_field: 'username',
    fields: [
      { type: 'uuid', name: 'id' },
      { type: 'string', name: 'email', size: 320 },
      { type: 'time', name: 'email_verified_at', optional: true },
      { type: 'string', name: 'username', size: 100, optional: true },
      { type: 'string', name: 'first_name', size: 255, optional: true },
      { type: 'string', name: 'last_name', size: 255, optional: true },
      { type: 'string', name: 'language', size: LANGUAGE_MAX, optional: true },
      { type: 'string', name: 'provider', size: 40, default: 'local', immutable: true },
      { type: 'bool', name: 'activated', default: false },
      {
        type: 'relation',
        name: 'roles',
        relation: {
          schema: 'role',
          field: 'users',
          type: 'm2m',
          owner: true,
          source_column: 'user_id',
          target_column: 'role_id',
          junction_table: 'user_roles',
        },
      },
      {
        type: 'relation',
        name: 'sessions',
        relation: { schema: 'session', field: 'user', type: 'o2m', owner: true },
      },
      {
        type: 'relation',
        name: 'saved_views',
        relation: { schema: 'view', field: 'owner', type: 'o2m', owner: true },
      },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'updated_at' },
    ],
  },
  hidden: [
    { type: 'string', name: 'password', size: 255, optional: true, db: { column: 'password_hash' } },
    { type: 'bool', name: 'invite', default: false, db: { column: 'invited' } },
  ],
  internalColumns: {
    email_key: 'text',
    username_key: 'text',
    activated_at: 'timestamptz',
    credentials_version: 'integer',
    second_factor: 'boolean',
  },
  protectedFields: ['email', 'email_verified_at', 'provider', 'activated', 'password', 'invite', 'roles', 'sessions'],
  writeErrors: ['last_root_account'],
  holdsAccounts: true,
  uniques: { users_email_key_unique: 'email', users_username_key_unique: 'username' },
});

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

/** Only root roles write permissions: no permission can allow it. */
export const PERMISSION_SCHEMA = defineSystemSchema({
  definition: {
    name: 'permission',
    namespace: 'permissions',
    label_field: 'resource',
    fields: [
      { type: 'uuid', name: 'id' },
      {
        type: 'relation',
        name: 'role',
        relation: { schema: 'role', field: 'permissions', type: 'o2m', on_delete: 'cascade' },
      },
      { type: 'string', name: 'resource', size: 255 },
      { type: 'text', name: 'value' },
      { type: 'json', name: 'fields', optional: true },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'updated_at' },
    ],
  },
  internalColumns: { schema_version: 'integer' },
  writtenBy: 'root',
  uniques: { permissions_role_resource_unique: 'resource' },
});
