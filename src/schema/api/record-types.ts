import { fieldType, type TypeFamily } from '../model/field-types.js';
import type { LinkedField, LinkedSchema } from '../model/schema-model.types.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';

const VALUE_TYPES: Readonly<Record<Exclude<TypeFamily, 'enum' | 'relation' | 'file'>, string>> = {
  boolean: 'boolean',
  time: 'string',
  json: 'JsonValue',
  uuid: 'string',
  bytes: 'string',
  string: 'string',
  integer: 'number',
  float: 'number',
};

const HEAD = [
  '// Made by `schema:types` from the schemas of the service. Do not edit.',
  '',
  '/** Any JSON value. */',
  'export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };',
  '',
];

/**
 * TypeScript types of the records of all schemas, for front ends: as the content API answers them. Times are ISO 8601,
 * bytes base64; relations are there where a request selects them.
 */
export function recordTypes({ schemas }: SchemaSnapshot): string {
  const sorted = Object.values(schemas).sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Map(sorted.map(({ name }) => [name, name]));
  const taken = new Set<string>();
  for (const { name } of sorted) {
    // Two schema names may differ in case or underscores only.
    let typeName = pascalCase(name);
    while (taken.has(typeName)) typeName += '_';
    taken.add(typeName);
    names.set(name, typeName);
  }
  const types = sorted.map((schema) => recordType(schema, names));
  const records = sorted.map(({ name }) => `  ${name}: ${names.get(name)};`);
  const index = [
    '/** Every record type by the name of its schema. */',
    'export interface Records {',
    ...records,
    '}',
    '',
  ];
  return [...HEAD, ...types, ...index].join('\n');
}

function recordType(schema: LinkedSchema, names: ReadonlyMap<string, string>): string {
  const fields = Object.values(schema.fields).filter((field) => !field.hidden);
  const lines = fields.map(
    (field) => `  ${field.name}${field.kind === 'relation' ? '?' : ''}: ${typeOf(field, names)};`,
  );
  return [
    `/** A record of \`${schema.name}\`. */`,
    `export interface ${names.get(schema.name)} {`,
    ...lines,
    '}',
    '',
  ].join('\n');
}

function typeOf(field: LinkedField, names: ReadonlyMap<string, string>): string {
  if (field.kind === 'relation') {
    const target = names.get(field.target) ?? 'unknown';
    return field.many ? `${target}[]` : `${target} | null`;
  }
  const type = valueType(field);
  const isEmptied = field.optional || field.generated === 'deleted_at';
  return isEmptied && type !== 'JsonValue' ? `${type} | null` : type;
}

function valueType({ type, enums }: Extract<LinkedField, { readonly kind: 'value' }>): string {
  const { family } = fieldType(type);
  if (family === 'enum') return (enums ?? []).map((value) => JSON.stringify(value)).join(' | ') || 'string';
  return family === 'relation' || family === 'file' ? 'unknown' : VALUE_TYPES[family];
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}
