import { FIELD_CODES } from './field.codes.js';
import { RELATION_CODES } from './relation.codes.js';
import { SCHEMA_CODES, BUILDER_CODES } from './schema.codes.js';
import type { FaultRow } from './fault-row.js';

const TABLES: Readonly<Record<string, Readonly<Record<string, FaultRow>>>> = {
  schema: SCHEMA_CODES,
  field: FIELD_CODES,
  relation: RELATION_CODES,
  builder: BUILDER_CODES,
};

/**
 * Every code of a schema validation error (HTTP 422) with its message and meaning: the one table from which
 * documentation and tests are made. Codes are stable, messages are not (specification, "Schema validation errors").
 */
export const SCHEMA_FAULT_CODES = { ...SCHEMA_CODES, ...FIELD_CODES, ...RELATION_CODES, ...BUILDER_CODES } as const;

export type SchemaFaultCode = keyof typeof SCHEMA_FAULT_CODES;

/** Returns the part of `docs/errors.md` about schema definitions: every code of the four tables. */
export function schemaFaultsSection(): string {
  const sections = Object.entries(TABLES).flatMap(([category, table]) => [
    `### ${category}.*`,
    '',
    '| Code | Meaning | Raised by | Origin |',
    '|---|---|---|---|',
    ...Object.entries(table).map(
      ([code, { when, stage, origin }]) => `| \`${code}\` | ${when.replaceAll('|', '\\|')} | ${stage} | ${origin} |`,
    ),
    '',
  ]);
  return [
    '## Schema definitions',
    '',
    '`schema_invalid` (422) carries `data.schema`, the first affected schema, and `data.field_errors` with all faults at once, in a stable',
    'order. Each has `code` and `message`; `field`, `schema`, `path` (JSON Pointer into the submission), `index` (of a field without a name),',
    '`suggestion` and `range` (offsets into an expression) where they apply. Codes are stable, messages are not.',
    '',
    ...sections,
  ].join('\n');
}
