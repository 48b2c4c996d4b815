import { isStorable, toStorable } from '../../../../kernel/text/storable-text.js';
import { AppError, type FieldFault } from '../../../../kernel/errors/app-error.js';
import { hasRounded } from '../../../../kernel/text/json.js';
import { parseJsonBody } from '../../../../platform/http/http.public.js';
import type { FieldType } from '../../../../kernel/schema-definition.types.js';
import { fieldType } from '../../../model/field-types.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from '../../../model/schema-model.types.js';
import { keyedRelation } from '../../../model/relation-keys.js';
import { ROUNDED, roundedMismatch } from '../../../schema/schema.public.js';
import type { SchemaContext } from '../../content-context.service.js';
import { withoutEscape } from '../../export/export-format.js';
import { isFieldWritable, isNameable } from '../../resolve/content-access.js';
import { isDistinguishing, type OpenedImport } from '../open-import.js';
import { NamedRecord } from '../named-records.js';

export interface CsvColumn {
  /** Field name of a single write, or the header itself for a foreign key such as `author_id`. */
  readonly field: string;
  /** Parses a cell. Null is an empty cell, `""` an empty string. Undefined means no value. Throws {@link CellFault}. */
  readonly read: (cell: string | null) => unknown;
}

export class CellFault extends Error {}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const DIGITS = /^-?\d+$/;

export function csvColumn(opened: OpenedImport, header: string): CsvColumn | null {
  const { context, query } = opened;
  const plain = (cell: string | null): string | null =>
    cell !== null && query.escapesFormulas ? withoutEscape(cell) : cell;
  const { schema, snapshot } = context;
  const [name = '', key, ...deeper] = header.split('.');
  const relation = key === undefined ? keyedRelation(schema, snapshot.schemas, name) : undefined;
  const own = relation ?? (Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined);
  if (own === undefined || !isOpen(opened, own)) return null;
  if (relation !== undefined) return { field: header, read: relation.many ? listIn : plain };
  if (key !== undefined) {
    const target = own.kind === 'relation' && !own.many ? snapshot.schemas[own.target] : undefined;
    if (target === undefined || deeper.length > 0) return null;
    if (target.primaryField !== key) return namedColumn(context, name, target, key, plain);
    return { field: name, read: (cell) => keyRef(plain(cell), target) };
  }
  if (own.kind === 'value') return { field: name, read: (cell) => valueIn(plain(cell), own) };
  if (!own.many) return { field: name, read: plain };
  return { field: name, read: listIn };
}

function listIn(cell: string | null): unknown {
  return cell === null ? undefined : jsonIn(cell);
}

/** Returns a relation whose records are referenced by a unique field. The principal must be allowed to filter by it. */
function namedColumn(
  { access, fields }: SchemaContext,
  name: string,
  target: LinkedSchema,
  by: string,
  plain: (cell: string | null) => string | null,
): CsvColumn | null {
  const field = Object.hasOwn(target.fields, by) ? target.fields[by] : undefined;
  if (field?.kind !== 'value' || !isDistinguishing(field, target) || access(target, 'list').grants.length === 0)
    return null;
  if (fields.value(target, 'list', by, 'filter') === null) return null;
  return {
    field: name,
    read: (cell) => {
      const text = plain(cell);
      return text === null ? null : new NamedRecord(by, text);
    },
  };
}

/** Returns true if the field may be written, or is a generated field that the principal knows. */
function isOpen({ context: { schema, access }, key, actions }: OpenedImport, field: LinkedField): boolean {
  const isFilled = field.kind === 'value' && field.generated !== undefined && isNameable(schema, field.name, access);
  return (
    isFilled ||
    field.name === key?.name ||
    actions.some((action) => isFieldWritable(schema, action, field.name, access))
  );
}

/** Returns the errors of a header: repeated and missing names. Null is a column that is not imported. */
export function headerFaults(names: readonly (string | null)[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return names.flatMap((name, at): FieldFault[] => {
    if (name === null) return [];
    if (name === '') return [{ field: `column ${at + 1}`, code: 'required', message: 'has no name' }];
    if (!isStorable(name))
      return [{ field: toStorable(name), code: 'malformed', message: 'has characters that cannot be stored' }];
    const isAgain = seen.has(name);
    seen.add(name);
    return isAgain ? [{ field: name, code: 'repeated_column', message: 'occurs more than once' }] : [];
  });
}

function valueIn(cell: string | null, field: LinkedValueField): unknown {
  // An empty cell of a required field gets its default, because CSV cannot omit a value.
  if (cell === null) return field.optional || field.default === undefined ? null : undefined;
  switch (fieldType(field.type).family) {
    case 'boolean':
      return { true: true, false: false }[cell.trim().toLowerCase()] ?? cell;
    case 'float':
      return floatIn(cell, field.type);
    case 'integer':
      return cell.trim();
    case 'json':
      return jsonIn(cell);
    default:
      return cell;
  }
}

function floatIn(cell: string, type: FieldType): unknown {
  if (!NUMBER.test(cell.trim())) return cell;
  const value = Number(cell);
  const mismatch = value === 0 && /^[^eE]*[1-9]/.test(cell) ? roundedMismatch(value, type) : undefined;
  if (mismatch !== undefined) throw new CellFault(mismatch);
  return value;
}

function keyRef(cell: string | null, { fields, primaryField }: LinkedSchema): unknown {
  const key = fields[primaryField];
  const isInteger = key?.kind === 'value' && fieldType(key.type).family === 'integer';
  return cell === null ? null : { [primaryField]: isInteger && DIGITS.test(cell.trim()) ? cell.trim() : cell };
}

function jsonIn(cell: string): unknown {
  try {
    const value = cell.trim() === '' ? undefined : parseJsonBody(Buffer.from(cell));
    if (value === undefined) throw new CellFault('it must be JSON');
    if (typeof value === 'number' && hasRounded(parseJsonBody(Buffer.from(`{"value":${cell}}`)) as object, 'value'))
      throw new CellFault(ROUNDED);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw new CellFault('it must be JSON');
    throw error;
  }
}
