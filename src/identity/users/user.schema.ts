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
