import type { SchemaDefinition } from '../../api/openapi.js';
import { TRUNCATED } from './record-changes.js';
import { FIELD_TYPES } from './record-schema.js';

export interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Described>> };
}

interface Described {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly readOnly?: boolean;
  readonly $ref?: string;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
}

const RECORD = /^A record of `(\w+)`\.$/;
/** Field names that serve as label field if the schema defines none. */
const NAMES = ['name', 'title', 'label', 'username', 'email', 'slug'];

const REMARK = /(?:^|\. )(?:Computed on read|Returned if it is selected)\.$/;

const KEYS = /^The keys? of /;

/** Derives schema definitions from the OpenAPI document, which contains only the schemas that the caller can read. */
export function definitionsIn({ components }: Document): SchemaDefinition[] {
  const described = Object.entries(components?.schemas ?? {}).flatMap(([component, schema]) => {
    const [, name] = RECORD.exec(schema.description ?? '') ?? [];
    return name === undefined ? [] : [{ component, name, properties: schema.properties ?? {} }];
  });
  const names = new Map(described.map(({ component, name }) => [`#/components/schemas/${component}`, name]));
  return described.map(({ name, properties }) => {
    const entries = Object.entries(properties);
    const keys = new Set(
      entries.flatMap(([field, one]) => (KEYS.test(one.description ?? '') || field === TRUNCATED ? [field] : [])),
    );
    const fields = entries
      .filter(([field]) => !keys.has(field))
      .map(([field, one]) => labelled(one, fieldOf(field, one, names)));
    const label = NAMES.find((item) => properties[item] !== undefined);
    return { name, fields, ...(label !== undefined && { label_field: label }) } as SchemaDefinition;
  });
}

function labelled({ description = '' }: Described, field: object): object {
  const label = description.replace(REMARK, '');
  return label === '' ? field : { ...field, label };
}

function fieldOf(name: string, described: Described, names: ReadonlyMap<string, string>): object {
  const many = described.items?.$ref;
  const one = described.$ref ?? described.anyOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  const target = names.get(many ?? one ?? '');
  if (target !== undefined) {
    const relation = { schema: target, field: '', type: many === undefined ? 'o2m' : 'm2m' };
    return { name, type: 'relation', optional: true, relation };
  }
  const types = [described.type].flat();
  const optional = types.includes('null');
  const rest = { ...(optional && { optional }), ...(described.readOnly === true && { immutable: true }) };
  if (described.enum !== undefined)
    return { name, type: 'enum', enums: described.enum.map((value) => ({ value })), ...rest };
  return { name, type: typeOf(described, types), ...rest, ...(described.maxLength && { size: described.maxLength }) };
}

function typeOf({ format, maxLength }: Described, types: readonly unknown[]): string {
  if (format === 'date-time') return 'time';
  if (format === 'byte') return 'bytes';
  if (FIELD_TYPES.some((name) => name === format)) return format ?? '';
  if (types.includes('boolean')) return 'bool';
  if (types.includes('integer')) return 'int64';
  if (types.includes('number')) return 'float64';
  if (types.includes('string')) return maxLength === undefined ? 'text' : 'string';
  return 'json';
}
