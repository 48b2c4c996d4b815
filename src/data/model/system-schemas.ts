import type { FieldDefinition, SchemaDefinition } from './schema-definition.types.js';

/** A schema of the service itself: its table is made by migrations, never by a plan; fields can be added to it. */
export interface SystemSchema {
  readonly definition: SchemaDefinition;
  /** Fields that exist in records but are never answered, filtered or sorted by, and stand in no definition. */
  readonly hidden: readonly FieldDefinition[];
  /** Columns of the table that belong to no field. */
  readonly internalColumns: readonly string[];
}

const id: FieldDefinition = { type: 'uuid', name: 'id' };
const timestamps: readonly FieldDefinition[] = [
  { type: 'time', name: 'created_at', immutable: true },
  { type: 'time', name: 'updated_at' },
];

const user: SystemSchema = {
  definition: {
    name: 'user',
    namespace: 'users',
    label_field: 'username',
    fields: [
      id,
      { type: 'string', name: 'email', size: 320 },
      { type: 'time', name: 'email_verified_at', optional: true },
      { type: 'string', name: 'username', size: 100, optional: true },
      { type: 'string', name: 'first_name', size: 255, optional: true },
      { type: 'string', name: 'last_name', size: 255, optional: true },
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
      ...timestamps,
    ],
  },
  hidden: [{ type: 'string', name: 'password', size: 255, optional: true, db: { column: 'password_hash' } }],
  internalColumns: ['email_key', 'username_key', 'activated_at', 'credentials_version'],
};

const role: SystemSchema = {
  definition: {
    name: 'role',
    namespace: 'roles',
    label_field: 'name',
    fields: [
      id,
      { type: 'string', name: 'name', size: 100, unique: true },
      { type: 'text', name: 'description', optional: true },
      { type: 'bool', name: 'root', default: false },
      { type: 'relation', name: 'users', relation: { schema: 'user', field: 'roles', type: 'm2m' } },
      {
        type: 'relation',
        name: 'permissions',
        relation: { schema: 'permission', field: 'role', type: 'o2m', owner: true },
      },
      ...timestamps,
    ],
  },
  hidden: [],
  internalColumns: [],
};

const permission: SystemSchema = {
  definition: {
    name: 'permission',
    namespace: 'permissions',
    label_field: 'resource',
    fields: [
      id,
      {
        type: 'relation',
        name: 'role',
        relation: { schema: 'role', field: 'permissions', type: 'o2m', on_delete: 'cascade' },
      },
      { type: 'string', name: 'resource', size: 255 },
      { type: 'text', name: 'value' },
      { type: 'json', name: 'fields', optional: true },
      ...timestamps,
    ],
  },
  hidden: [],
  internalColumns: ['schema_version'],
};

const file: SystemSchema = {
  definition: {
    name: 'file',
    namespace: 'files',
    label_field: 'name',
    fields: [
      id,
      { type: 'string', name: 'name', size: 255 },
      { type: 'string', name: 'disk', size: 40, immutable: true },
      { type: 'string', name: 'path', size: 1024, immutable: true },
      { type: 'string', name: 'type', size: 255 },
      { type: 'int64', name: 'size' },
      ...timestamps,
    ],
  },
  hidden: [],
  internalColumns: [],
};

const session: SystemSchema = {
  definition: {
    name: 'session',
    namespace: 'sessions',
    label_field: 'id',
    fields: [
      id,
      {
        type: 'relation',
        name: 'user',
        relation: { schema: 'user', field: 'sessions', type: 'o2m', on_delete: 'cascade' },
      },
      { type: 'string', name: 'provider', size: 40 },
      { type: 'string', name: 'device', size: 255, optional: true },
      { type: 'string', name: 'address', size: 64, optional: true },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'last_used_at' },
      { type: 'time', name: 'expires_at' },
    ],
  },
  hidden: [],
  internalColumns: [],
};

/** The system schemas by name (CONTRACT.md §6); they mirror the tables that the migrations make. */
export const SYSTEM_SCHEMAS: ReadonlyMap<string, SystemSchema> = new Map(
  [user, role, permission, file, session].map((schema) => [schema.definition.name, schema]),
);
