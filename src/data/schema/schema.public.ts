export { readZip } from './api/zip-archive.js';
export { Parameters as SchemaParameters, type SchemaQuery } from './api/schema-query.js';
export { SCHEMA_COMPONENTS } from './api/schema-documentation.js';
export { assertSchemaFiles } from './files/read-schema-files.js';
export { findSchema } from './snapshot/schema-snapshot.js';
export { lastReuse, reusedAt } from './snapshot/name-history.js';
export { ROUNDED, roundedMismatch, valueMismatch } from './validate/check-value.js';
