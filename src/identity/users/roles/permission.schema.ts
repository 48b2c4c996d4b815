import { defineSystemSchema } from '../../../kernel/system-schema.js';

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
