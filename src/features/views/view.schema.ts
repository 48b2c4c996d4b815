import { defineSystemSchema } from '../../kernel/system-schema.js';

/** Saved views of lists. Ordinary permissions on records control the access. */
export const VIEW_SCHEMA = defineSystemSchema({
  definition: {
    name: 'view',
    namespace: 'views',
    label_field: 'name',
    fields: [
      { type: 'uuid', name: 'id' },
      { type: 'string', name: 'name', size: 100 },
      { type: 'string', name: 'schema', size: 100 },
      { type: 'json', name: 'query' },
      {
        type: 'relation',
        name: 'owner',
        default: 'auth.id',
        optional: true,
        relation: { schema: 'user', field: 'saved_views', type: 'o2m', on_delete: 'cascade', on_erase: 'delete' },
      },
      {
        type: 'relation',
        name: 'role',
        optional: true,
        relation: { schema: 'role', field: 'saved_views', type: 'o2m', on_delete: 'cascade' },
      },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'updated_at' },
    ],
  },
});
