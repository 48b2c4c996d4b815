import { typeNames } from '../../model/type-names.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { SchemaTypeText } from './schema-type-text.js';
import { errorCodes } from '../../../kernel/errors/error-catalogue.js';

const HELPERS = `/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** The answer with one record. */
export interface RecordAnswer<T> {
  data: T;
}

/** The answer of a list by pages; the numbers are null with \`count=none\`. */
export interface ListAnswer<T> {
  data: {
    total: number | null;
    per_page: number;
    current_page: number;
    last_page: number | null;
    capped?: true;
    items: T[];
  };
}

/** The answer of a list by cursor; \`next_cursor\` is null on the last page. */
export interface CursorAnswer<T> {
  data: { per_page: number; next_cursor: string | null; items: T[] };
}

/** The answer of a change of many records. */
export interface CountAnswer {
  data: { count: number };
}

/** A fault of one field or parameter. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** The answer to whatever failed. */
export interface ErrorAnswer {
  /** The HTTP status as text. */
  code: string;
  message: string;
  data: { error: ErrorCode; errors?: FieldFault[]; request_id?: string; [detail: string]: unknown };
}

/** Tests a value for equality. */
export interface EqualityTest<T> {
  $eq?: T | null;
  $neq?: T | null;
  $in?: T[];
  $nin?: T[];
  $null?: boolean;
}

/** Tests a value that has an order. */
export interface OrderTest<T> extends EqualityTest<T> {
  $gt?: T;
  $gte?: T;
  $lt?: T;
  $lte?: T;
}

/** Tests a text. */
export interface TextTest<T> extends OrderTest<T> {
  $like?: string;
  $notlike?: string;
  $ilike?: string;
  $contains?: string;
  $notcontains?: string;
  $icontains?: string;
}

/** Tests a value that cannot be compared. */
export interface NullTest {
  $null?: boolean;
}

/** Tests related records. */
export interface RelationTest<F> {
  $some?: F;
  $none?: F;
  $every?: F;
}

/** Combines filters, and allows paths over relations such as \`"category.slug"\`. */
export interface FilterLogic<F> {
  $and?: F[];
  $or?: F[];
  $not?: F;
  [path: \`\${string}.\${string}\`]: unknown;
}

/** A key of \`sort\`; join several by commas. */
export type SortKey<Field extends string, ToOne extends string> =
  | \`\${'' | '-'}\${Field}\`
  | \`\${'' | '-'}\${ToOne}.\${string}\`;

/** Records that are linked: the whole list, or what is added and removed. */
export type Links<Ref, New = never> =
  | (Ref | New)[]
  | { $add?: (Ref | New)[]; $remove?: Ref[] }
  | { $set: (Ref | New)[] };
`;

/** Names that a schema type must not have: the types above, and built-in types that are used. */
const HELPER_NAMES: readonly string[] = [
  'Omit',
  'Records',
  'Schemas',
  'ErrorCode',
  ...[...HELPERS.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name ?? ''),
];

/** Returns TypeScript types for front ends: records, filters, sort keys, envelopes and error codes. Equal schemas give equal text. */
export function recordTypes({ schemas }: SchemaSnapshot): string {
  const names = typeNames(Object.keys(schemas), HELPER_NAMES);
  const sorted = Object.values(schemas).sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = sorted.map((schema) => new SchemaTypeText(schema, schemas, names));
  const records = sorted.map(({ name }) => `  ${name}: ${names.get(name)};`);
  const index = sorted.map(({ name }, at) => `  ${name}: ${texts[at]?.index()};`);
  return [
    typeHelpers(),
    ...texts.map((text) => text.text()),
    '/** Every record type by the name of its schema. */',
    'export interface Records {',
    ...records,
    '}',
    '',
    '/** Every type of a schema by its name. */',
    'export interface Schemas {',
    ...index,
    '}',
    '',
  ].join('\n');
}

function typeHelpers(): string {
  const codes = errorCodes().map((code) => `  | ${JSON.stringify(code)}`);
  return [
    '// Made by `schema:types` from the schemas of the service. Do not edit.',
    '',
    HELPERS,
    '/** Every value of `data.error`. */',
    'export type ErrorCode =',
    `${codes.join('\n')};`,
    '',
  ].join('\n');
}
