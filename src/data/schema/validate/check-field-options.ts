import { isPlainIdentifier, isTooLong, reservedColumn } from '../../model/identifiers.js';
import { fieldType, type FieldTypeRow, isCountable } from '../../model/field-types.js';
import { hasRounded, isJsonObject } from '../../../kernel/text/json.js';
import type {
  FieldType,
  FieldDatabaseDefinition,
  JsonValue,
  FileFieldDefinition,
  JsonObject,
  ImageSize,
} from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS, isImageFit, isImageSide, IMAGE_FITS, IMAGE_SIZE_NAME } from '../../model/schema-limits.js';
import { ROUNDED, valueMismatch } from './check-value.js';
import {
  ENUM_MEMBERS,
  FIELD_DB_MEMBERS,
  type FIELD_MEMBERS,
  FILE_MEMBERS,
  RELATION_MEMBERS,
  type DefinitionNode,
} from '../definition/definition-node.js';
import { withoutUndefined } from '../../model/plain-record.js';

export type FieldNode = DefinitionNode<typeof FIELD_MEMBERS>;

export interface FieldContext extends ReturnType<typeof childNodes> {
  readonly node: FieldNode;
  readonly type: FieldType;
}

/** Reads the objects of a field. Their wrong members are reported even if the type of the field is not known. */
export function childNodes(node: FieldNode) {
  const { db, file, relation, enums } = node.values;
  const enumNode = (entry: JsonValue, index: number) =>
    isJsonObject(entry) ? node.child(entry, ENUM_MEMBERS, ['enums', index]) : undefined;
  return {
    db: db && node.child(db, FIELD_DB_MEMBERS, 'db'),
    file: file && node.child(file, FILE_MEMBERS, 'file'),
    relation: isJsonObject(relation) ? node.child(relation, RELATION_MEMBERS, 'relation', 'relation') : undefined,
    enums: Array.isArray(enums) ? (enums as readonly JsonValue[]).map(enumNode) : undefined,
  };
}

const SIZE_LIMITS: Partial<Record<string, number>> = {
  string: SCHEMA_LIMITS.stringSize,
  text: SCHEMA_LIMITS.textSize,
  bytes: SCHEMA_LIMITS.textSize,
};

export function checkSize({ node, type }: FieldContext): number | undefined {
  const { size } = node.values;
  const limit = SIZE_LIMITS[type];
  if (size === undefined || (limit !== undefined && Number.isInteger(size) && size >= 1 && size <= limit)) return size;
  if (limit !== undefined) node.report('field.size.invalid', 'size', { limit });
  // Other tools write `"size": 0` for no size.
  else if (size !== 0) node.report('field.size.not_allowed', 'size', { type });
  return undefined;
}

/** Options with the field types that can have them. */
const OPTIONS: readonly (readonly [
  member: 'unique' | 'multiple' | 'searchable' | 'setter' | 'getter',
  isAllowed: (type: FieldTypeRow) => boolean | undefined,
])[] = [
  ['unique', ({ indexed }) => indexed],
  ['multiple', ({ family }) => family === 'file'],
  ['searchable', ({ family }) => family === 'string'],
  ['setter', ({ sql }) => sql !== ''],
  ['getter', ({ sql }) => sql !== ''],
];

export function checkOptions({ node, type }: FieldContext): void {
  for (const [member, isAllowed] of OPTIONS)
    if (node.values[member] && !isAllowed(fieldType(type)))
      node.report(`field.${member}.not_allowed`, member, { type });
}

/** Checks the size of texts and JSON values. Larger ones would make every change of schemas slow. */
export function checkLengths({ node, type }: FieldContext): void {
  const { label = '', setter = '', getter = '', renderer } = node.values;
  checkLength(node, 'label', 'The label', label.length, SCHEMA_LIMITS.label);
  if (fieldType(type).sql !== '') {
    checkLength(node, 'setter', 'The expression', setter.length, SCHEMA_LIMITS.expression);
    checkLength(node, 'getter', 'The expression', getter.length, SCHEMA_LIMITS.expression);
  }
  checkJson(node, 'renderer', renderer);
}

function checkJson(node: FieldNode, member: 'default' | 'renderer', value: unknown): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return checkLength(node, member, `The JSON of \`${member}\``, bytes, SCHEMA_LIMITS.jsonBytes);
}

export function checkLength(
  node: FieldNode,
  path: string | readonly (string | number)[],
  what: string,
  actual: number,
  limit: number,
): boolean {
  if (actual > limit) node.report('field.limit.exceeded', path, { what, actual, limit });
  return actual <= limit;
}

/** The `default` of a relation that makes the creating account the owner. */
const OWNER_DEFAULT = 'auth.id';

export function checkDefault(
  { node, type }: FieldContext,
  size: number | undefined,
  enums: readonly string[] | undefined,
): void {
  const value = node.values.default;
  if (value === undefined || !checkJson(node, 'default', value)) return;
  // Whether the relation refers to accounts is checked when it is linked.
  if (type === 'relation' && value === OWNER_DEFAULT) return;
  if (!fieldType(type).sql) return node.report('field.default.not_allowed', 'default', { type });
  if (type === 'enum' && enums === undefined) return;
  const isRounded = type === 'json' && hasRounded(node.json, 'default');
  const reason = isRounded ? ROUNDED : valueMismatch(value, { type, size, enums });
  if (reason) node.report('field.default.invalid', 'default', { reason });
}

export function checkColumn({ node, type, db }: FieldContext): FieldDatabaseDefinition | undefined {
  const { sql, indexed } = fieldType(type);
  const values = db?.values ?? {};
  const refuse = (property: 'column' | 'index' | 'increment', reason: string): void =>
    node.report('field.db.not_allowed', ['db', property], { property, reason });
  if (values.column) {
    const name = values.column;
    const usable = isPlainIdentifier(name) && !isTooLong(name) && !reservedColumn(name);
    if (!sql) refuse('column', 'a relation names its columns in `relation`');
    else if (!usable) node.report('field.column.invalid', ['db', 'column'], { name });
  } else if (sql) {
    const name = node.values.name ?? '';
    const reason = reservedColumn(name);
    if (reason) node.report('field.name.reserved', 'name', { name, reason });
  }
  if (values.index && !indexed) refuse('index', `the type ${type} cannot be indexed`);
  if (values.increment && !isCountable(type)) refuse('increment', `the type ${type} cannot be counted`);
  if (values.increment && node.values.optional) refuse('increment', 'it is optional');
  const defined = Object.entries(values).filter(([, value]) => value !== '' && value !== false);
  return defined.length > 0 ? Object.fromEntries(defined) : undefined;
}

type FileNode = DefinitionNode<typeof FILE_MEMBERS>;

/** A media type, or all types of a kind: `image/png`, `image/*`. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

export function checkFile({ node, type, file }: FieldContext): FileFieldDefinition | undefined {
  if (file === undefined) return undefined;
  if (type !== 'file') {
    node.report('field.file.not_allowed', 'file', { type });
    return undefined;
  }
  const checked = withoutUndefined<FileFieldDefinition>({
    types: checkTypes(file),
    max_size: checkBytes(file, 'max_size'),
    quota: checkBytes(file, 'quota'),
    sizes: checkSizes(file),
  });
  return Object.keys(checked).length === 0 ? undefined : checked;
}

function checkTypes(node: FileNode): readonly string[] | undefined {
  const { types } = node.values;
  const limit = SCHEMA_LIMITS.fileTypes;
  if (types === undefined) return undefined;
  if (types.length === 0 || types.length > limit)
    return refuse(node, 'types', `\`types\` lists 1 to ${limit} media types`);
  const usable = types.filter((type, at): type is string => {
    const isUsable = typeof type === 'string' && TYPE.test(type);
    if (!isUsable) refuse(node, ['types', at], 'a type is written as "image/png" or "image/*"');
    return isUsable;
  });
  return usable.length === types.length ? [...new Set(usable)] : undefined;
}

function checkBytes(node: FileNode, name: 'max_size' | 'quota'): number | undefined {
  const bytes = node.values[name];
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 1)) return bytes;
  return refuse(node, name, `\`${name}\` is a number of bytes, at least 1`);
}

function checkSizes(node: FileNode): FileFieldDefinition['sizes'] {
  const { sizes } = node.values;
  if (sizes === undefined) return undefined;
  const entries = Object.entries(sizes);
  const { imageSizes: limit, imageSide } = SCHEMA_LIMITS;
  if (entries.length === 0 || entries.length > limit)
    return refuse(node, 'sizes', `\`sizes\` names 1 to ${limit} sizes`);
  const form = `a size has \`width\`, \`height\` or both, 1 to ${imageSide} pixels, and \`fit\`, ${IMAGE_FITS.join(' or ')}`;
  const usable = entries.flatMap(([name, value]): [string, ImageSize][] => {
    const isNamed = IMAGE_SIZE_NAME.test(name);
    if (!isNamed) refuse(node, ['sizes', name.slice(0, 100)], 'the name of a size can contain a to z, 0 to 9, _ and -');
    const size = isNamed && isJsonObject(value) ? imageSize(value) : undefined;
    if (isNamed && size === undefined) refuse(node, ['sizes', name], form);
    return size === undefined ? [] : [[name, size]];
  });
  return usable.length === entries.length ? Object.fromEntries(usable) : undefined;
}

function imageSize({ width, height, fit, ...rest }: JsonObject): ImageSize | undefined {
  const sides = [width, height].filter((side) => side !== undefined);
  const isUsable = sides.length > 0 && sides.every(isImageSide) && (fit === undefined || isImageFit(fit));
  if (!isUsable || Object.keys(rest).length > 0) return undefined;
  return {
    ...(isImageSide(width) ? { width } : {}),
    ...(isImageSide(height) ? { height } : {}),
    ...(isImageFit(fit) && fit !== 'inside' ? { fit } : {}),
  };
}

function refuse(node: FileNode, path: string | readonly (string | number)[], reason: string): undefined {
  node.report('field.file.invalid', path, { reason });
}
