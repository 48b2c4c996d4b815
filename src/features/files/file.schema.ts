import { defineSystemSchema } from '../../kernel/system-schema.js';

/** Files that records refer to. They are created by an upload, never by writing a record. */
export const FILE_SCHEMA = defineSystemSchema({
  definition: {
    name: 'file',
    namespace: 'files',
    label_field: 'name',
    fields: [
      { type: 'uuid', name: 'id' },
      { type: 'string', name: 'name', size: 255 },
      { type: 'string', name: 'disk', size: 40, immutable: true },
      { type: 'string', name: 'path', size: 1024, immutable: true },
      { type: 'string', name: 'type', size: 255 },
      { type: 'int64', name: 'size' },
      { type: 'string', name: 'sha256', size: 64 },
      { type: 'int32', name: 'width', optional: true },
      { type: 'int32', name: 'height', optional: true },
      { type: 'uuid', name: 'uploaded_by', optional: true, immutable: true },
      { type: 'time', name: 'created_at', immutable: true },
      { type: 'time', name: 'updated_at' },
      { type: 'time', name: 'deleted_at', optional: true },
    ],
  },
  writtenBy: 'service',
  isDeletable: true,
  softDelete: true,
  makerField: 'uploaded_by',
  holdsFiles: true,
});
