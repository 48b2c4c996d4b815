import type { Permissions, SchemaDefinition } from '../../api/openapi.js';

/** Canonical names of the field types (`GET /api/schema/definition.json`). */
export const FIELD_TYPES = [
  'bool',
  'time',
  'json',
  'uuid',
  'bytes',
  'enum',
  'string',
  'text',
  'int',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float32',
  'float64',
  'relation',
  'file',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface RecordField {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string;
  readonly optional: boolean;
  readonly immutable: boolean;
  readonly hasDefault: boolean;
  readonly size: number | undefined;
  readonly enums: readonly { readonly value: string; readonly label: string }[];
  readonly target: string | undefined;
  readonly many: boolean;
  readonly sortable: boolean;
  readonly filterable: boolean;
  readonly unique: boolean;
  readonly generated: boolean;
  /** Whether setting it requires a confirmation, because it grants every permission. */
  readonly confirmed: boolean;
}

/** Schema with the fields that the caller can read. */
export interface RecordSchema {
  readonly name: string;
  readonly key: string;
  readonly labelField: string;
  readonly fields: readonly RecordField[];
  readonly searchable: boolean;
  readonly softDelete: boolean;
}

type Names = Readonly<Record<string, string>>;

/** Labels for fields that have no label in the schema, by field name. */
export interface FieldNames {
  readonly generated?: Names;
  readonly ofRoles?: Names;
  readonly factorRules?: Names;
}

type DefinedField = NonNullable<SchemaDefinition['fields']>[number];

const TIMES = ['created_at', 'updated_at', 'deleted_at'];
const LONG: readonly FieldType[] = ['json', 'text', 'bytes'];
const MAX_DEFAULT_COLUMNS = 7;
/** Second-factor rules of a role. The schema definition has only the type `string`. */
const FACTOR_RULES = ['off', 'optional', 'required'];
const NO_FILTER: readonly FieldType[] = ['json', 'bytes'];

/** Converts a schema definition. Contains only the fields that the caller can read. */
export function recordSchema(
  definition: SchemaDefinition,
  permissions: Permissions,
  names: FieldNames = {},
): RecordSchema {
  const { name, primary_field: key = 'id', label_field: label } = definition;
  const definedFields = definition.fields ?? [];
  const hasKey = definedFields.some((field) => field.name === key);
  const implied: DefinedField[] = [
    ...(hasKey ? [] : [{ type: 'uuid', name: key } as DefinedField]),
    ...definedFields,
    ...TIMES.filter((time) => !definedFields.some((field) => field.name === time)).map(
      (time) => ({ type: 'time', name: time, optional: true }) as DefinedField,
    ),
  ];
  const actions = permissions.content[name] ?? {};
  const seen = new Set([actions['list'], actions['get']].flatMap((action) => action?.fields ?? []));
  const fields = implied
    .filter((field) => seen.has(field.name))
    .map((field) => {
      const isGenerated = (field.name === key && !hasKey) || TIMES.includes(field.name);
      const knownLabels = isGenerated ? names.generated : name === 'role' ? names.ofRoles : undefined;
      const recordField = fieldOf(field, isGenerated, knownLabels?.[field.name]);
      return name === 'role' ? fieldOfRole(recordField, names.factorRules) : recordField;
    });
  const labelField = fields.some((field) => field.name === label) && label !== undefined ? label : key;
  const searchable = definedFields.some((field) => field.searchable === true);
  return { name, key, labelField, fields, searchable, softDelete: seen.has('deleted_at') };
}

function fieldOf(field: DefinedField, isGenerated: boolean, knownLabel: string | undefined): RecordField {
  const { name, type, label, relation, getter } = field;
  const many =
    relation === undefined
      ? type === 'file' && field.multiple === true
      : relation.type === 'm2m' || (relation.type !== 'o2o' && relation.owner === true);
  const isRelation = type === 'relation' || type === 'file';
  return {
    name,
    type: type as FieldType,
    label: label ?? knownLabel ?? labelFromName(name),
    optional: field.optional === true || relation?.optional === true || many,
    immutable: field.immutable === true,
    hasDefault: field.default !== undefined,
    size: field.size,
    enums: (field.enums ?? []).map(({ value, label: recordField }) => ({ value, label: recordField ?? value })),
    target: type === 'file' ? 'file' : relation?.schema,
    many,
    sortable: !isRelation && field.sortable !== false && getter === undefined && !NO_FILTER.includes(type as FieldType),
    unique: field.unique === true,
    filterable: field.filterable !== false && getter === undefined,
    generated: isGenerated,
    confirmed: false,
  };
}

/** Converts fields of the role schema: `mfa` becomes an enum, and `root` needs a confirmation. */
function fieldOfRole(field: RecordField, labels: Names = {}): RecordField {
  if (field.name === 'root') return { ...field, confirmed: true };
  if (field.name !== 'mfa') return field;
  return { ...field, type: 'enum', enums: FACTOR_RULES.map((value) => ({ value, label: labels[value] ?? value })) };
}

/** Returns the default columns: the label field first, no long types, no to-many relations. */
export function defaultColumns(schema: RecordSchema): readonly string[] {
  const short = schema.fields.filter(
    ({ name, type, many }) => !LONG.includes(type) && !many && name !== schema.key && name !== 'deleted_at',
  );
  const ordered = [...short].sort((one, other) => rank(one, schema) - rank(other, schema));
  const names = ordered.slice(0, MAX_DEFAULT_COLUMNS).map(({ name }) => name);
  return names.length === 0 ? [schema.key] : names;
}

function rank({ name, generated }: RecordField, { labelField }: RecordSchema): number {
  if (name === labelField) return 0;
  return generated ? 2 : 1;
}

/** Returns a readable label for a field name: `published_at` becomes "Published at". */
export function labelFromName(name: string): string {
  const text = name.replaceAll(/_+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
