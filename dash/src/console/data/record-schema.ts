import type { Permissions, SchemaDefinition } from '../../api/openapi.js';

/** The types of fields, by their canonical names (`GET /api/schema/definition.json`). */
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

/** A field as a page shows it. */
export interface RecordField {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string;
  readonly optional: boolean;
  readonly immutable: boolean;
  readonly hasDefault: boolean;
  readonly size: number | undefined;
  readonly enums: readonly { readonly value: string; readonly label: string }[];
  /** Target of a relation, or of a file. */
  readonly target: string | undefined;
  /** Whether it leads to many records. */
  readonly many: boolean;
  readonly sortable: boolean;
  readonly filterable: boolean;
  /** Whether no two records have the same value of it. */
  readonly unique: boolean;
  /** Whether the service writes it, and nobody else. */
  readonly generated: boolean;
  /** Whether setting it is confirmed first: it gives somebody every permission. */
  readonly confirmed: boolean;
}

/** The schema of a list or a form, with the fields that whoever looks may see. */
export interface RecordSchema {
  readonly name: string;
  readonly key: string;
  /** The field that names a record. */
  readonly labelField: string;
  readonly fields: readonly RecordField[];
  readonly searchable: boolean;
  readonly softDelete: boolean;
}

type Names = Readonly<Record<string, string>>;

/** Labels for fields of which no schema says one, by the names of the fields. */
export interface FieldNames {
  /** Labels of the fields that the service fills in. */
  readonly generated?: Names;
  readonly ofRoles?: Names;
  /** Labels of the rules for second factors. */
  readonly factorRules?: Names;
}

type DefinedField = NonNullable<SchemaDefinition['fields']>[number];

const TIMES = ['created_at', 'updated_at', 'deleted_at'];
/** Too long, or of no meaning, for a list that nobody has chosen the columns of. */
const LONG: readonly FieldType[] = ['json', 'text', 'bytes'];
const MOST_COLUMNS = 7;
/** Values of the rule for second factors of a role. The definition of the schema has them as text. */
const FACTOR_RULES = ['off', 'optional', 'required'];
const NO_FILTER: readonly FieldType[] = ['json', 'bytes'];

/**
 * Makes of a definition what a page shows, cut to the fields that may be seen.
 */
export function recordSchema(
  definition: SchemaDefinition,
  permissions: Permissions,
  names: FieldNames = {},
): RecordSchema {
  const { name, primary_field: key = 'id', label_field: label } = definition;
  const given = definition.fields ?? [];
  const hasKey = given.some((field) => field.name === key);
  const implied: DefinedField[] = [
    ...(hasKey ? [] : [{ type: 'uuid', name: key } as DefinedField]),
    ...given,
    ...TIMES.filter((time) => !given.some((field) => field.name === time)).map(
      (time) => ({ type: 'time', name: time, optional: true }) as DefinedField,
    ),
  ];
  const actions = permissions.content[name] ?? {};
  const seen = new Set([actions['list'], actions['get']].flatMap((action) => action?.fields ?? []));
  const fields = implied
    .filter((field) => seen.has(field.name))
    .map((field) => {
      const isGenerated = (field.name === key && !hasKey) || TIMES.includes(field.name);
      const known = isGenerated ? names.generated : name === 'role' ? names.ofRoles : undefined;
      const shown = fieldOf(field, isGenerated, known?.[field.name]);
      return name === 'role' ? fieldOfRole(shown, names.factorRules) : shown;
    });
  const labelField = fields.some((field) => field.name === label) && label !== undefined ? label : key;
  const searchable = given.some((field) => field.searchable === true);
  return { name, key, labelField, fields, searchable, softDelete: seen.has('deleted_at') };
}

function fieldOf(field: DefinedField, isGenerated: boolean, known: string | undefined): RecordField {
  const { name, type, label, relation, getter } = field;
  const many =
    relation === undefined
      ? type === 'file' && field.multiple === true
      : relation.type === 'm2m' || (relation.type !== 'o2o' && relation.owner === true);
  const isRelation = type === 'relation' || type === 'file';
  return {
    name,
    type: type as FieldType,
    label: label ?? known ?? wordsOf(name),
    optional: field.optional === true || relation?.optional === true || many,
    immutable: field.immutable === true,
    hasDefault: field.default !== undefined,
    size: field.size,
    enums: (field.enums ?? []).map(({ value, label: shown }) => ({ value, label: shown ?? value })),
    target: type === 'file' ? 'file' : relation?.schema,
    many,
    sortable: !isRelation && field.sortable !== false && getter === undefined && !NO_FILTER.includes(type as FieldType),
    unique: field.unique === true,
    filterable: field.filterable !== false && getter === undefined,
    generated: isGenerated,
    confirmed: false,
  };
}

/** Returns a field of roles: the rule for second factors is one of a few values, and `root` is confirmed. */
function fieldOfRole(field: RecordField, labels: Names = {}): RecordField {
  if (field.name === 'root') return { ...field, confirmed: true };
  if (field.name !== 'mfa') return field;
  return { ...field, type: 'enum', enums: FACTOR_RULES.map((value) => ({ value, label: labels[value] ?? value })) };
}

/** Returns the columns of a list of which nobody has chosen any: what names a record first, nothing long, no relation to many. */
export function defaultColumns(schema: RecordSchema): readonly string[] {
  const short = schema.fields.filter(
    ({ name, type, many }) => !LONG.includes(type) && !many && name !== schema.key && name !== 'deleted_at',
  );
  const ordered = [...short].sort((one, other) => rank(one, schema) - rank(other, schema));
  const names = ordered.slice(0, MOST_COLUMNS).map(({ name }) => name);
  return names.length === 0 ? [schema.key] : names;
}

function rank({ name, generated }: RecordField, { labelField }: RecordSchema): number {
  if (name === labelField) return 0;
  return generated ? 2 : 1;
}

/** Returns a name as people write it: `published_at` is "Published at". */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/_+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
