import { BUILDER_CODES } from './builder.codes.js';
import { FIELD_CODES } from './field.codes.js';
import { RELATION_CODES } from './relation.codes.js';
import { SCHEMA_CODES } from './schema.codes.js';

/**
 * Every code of a schema validation error (HTTP 422) with its message and meaning: the one table from which
 * documentation and tests are made. Codes are stable, messages are not (specification, "Schema validation errors").
 */
export const SCHEMA_FAULT_CODES = { ...SCHEMA_CODES, ...FIELD_CODES, ...RELATION_CODES, ...BUILDER_CODES } as const;

/** A code of the table; a misspelt one does not compile. */
export type SchemaFaultCode = keyof typeof SCHEMA_FAULT_CODES;
