import { defineSystemSchema } from '../../../kernel/system-schema.js';

/** Sessions are created by sign-ins, never by writing a record. Deleting the record revokes the session. */
export const SESSION_SCHEMA = defineSystemSchema({
  definition: {
    name: 'session',
    namespace: 'sessions',
    label_field: 'id',
    fields: [
      { type: 'uuid', name: 'id' },
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
  internalColumns: { proven_at: 'timestamptz', amr: 'varchar[]', level: 'smallint', level_at: 'timestamptz' },
  writtenBy: 'service',
  isDeletable: true,
});
