import { withoutUndefined } from '../../model/plain-record.js';
import type { TextRange } from '../../expressions/expression.types.js';
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

/** All codes of schema validation errors (422). Codes are stable, messages are not. */
export const SCHEMA_FAULT_CODES = { ...SCHEMA_CODES, ...FIELD_CODES, ...RELATION_CODES, ...BUILDER_CODES } as const;

export type SchemaFaultCode = keyof typeof SCHEMA_FAULT_CODES;

export function schemaFaultsSection(): string {
  const sections = Object.entries(TABLES).flatMap(([category, table]) => [
    `### ${category}.*`,
    '',
    '| Code | Meaning |',
    '|---|---|',
    ...Object.entries(table).map(([code, { when }]) => `| \`${code}\` | ${when.replaceAll('|', '\\|')} |`),
    '',
  ]);
  return [
    '## Schema definitions',
    '',
    '`schema_invalid` (422) has `data.schema`, the first affected schema, and `data.field_errors` with all errors in a stable order. Each has',
    '`code` and `message`, and, if they apply, `field`, `schema`, `path` (JSON Pointer into the request), `index` (of a field without a name),',
    '`suggestion` and `range` (offsets into an expression). Codes are stable, messages are not. Codes marked as internal indicate a defect of Lintel.',
    '',
    ...sections,
  ].join('\n');
}

/** One error of a schema definition, as returned in `data.field_errors`, and its private cause. */
export interface SchemaFault {
  readonly code: SchemaFaultCode;
  readonly message: string;
  /** The affected schema; undefined if it has no usable name. */
  readonly schema?: string;
  readonly field?: string;
  /** JSON Pointer into the submitted document; undefined for a schema that was not submitted. */
  readonly path?: string;
  /** File name or other origin of the document, if the caller gave one. */
  readonly source?: string;
  readonly index?: number;
  readonly suggestion?: string;
  readonly range?: TextRange;
  /** The underlying error. Never sent to a client. */
  readonly cause?: unknown;
}

export interface FaultDetails extends Omit<SchemaFault, 'code' | 'message'> {
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Creates an error. The placeholders of its message are filled from `params`, `schema` and `field`. */
export function createFault(code: SchemaFaultCode, details: FaultDetails = {}): SchemaFault {
  const { params, ...rest } = details;
  const { schema, field, index } = rest;
  const values: Record<string, string | number | undefined> = { schema, field, index, ...params };
  const message = SCHEMA_FAULT_CODES[code].message.replace(/\{(\w+)\}/g, (_, key: string) => quoteValue(values[key]));
  return { code, message, ...withoutUndefined(rest) };
}

/** @internal */
const MAX_SHOWN_LENGTH = 200;

function quoteValue(value: string | number | undefined): string {
  const text = String(value ?? '');
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

export class SchemaFaultError extends Error {
  constructor(readonly faults: readonly SchemaFault[]) {
    super(faults.map((fault) => `${fault.code}: ${fault.message}`).join('\n'), { cause: faults[0]?.cause });
    this.name = 'SchemaFaultError';
  }
}

/** Converts errors to the response payload, without their private causes. */
export function fieldErrors(faults: readonly SchemaFault[]) {
  const schema = faults.find((fault) => fault.schema !== undefined)?.schema ?? '';
  return { schema, field_errors: faults.map(({ cause: _cause, ...entry }) => entry) };
}
