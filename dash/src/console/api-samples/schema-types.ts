import type { OpenApi, Schema } from '../../reference/open-api.js';

/** Generates TypeScript types for the records of a schema and their writes, with all types they refer to. */
export function typesOf(document: OpenApi, schema: string): string {
  const all = (document.components['schemas'] ?? {}) as Readonly<Record<string, Schema & { description?: string }>>;
  const [own] = Object.entries(all).find(([, { description }]) => description === `A record of \`${schema}\`.`) ?? [];
  if (own === undefined) return '';
  const typeNames = [own, `${own}Create`, `${own}Update`].filter((name) => all[name] !== undefined);
  // The set grows during the iteration.
  const names = new Set(typeNames);
  const texts: string[] = [];
  for (const name of names) texts.push(`export type ${name} = ${typeText(all[name] ?? {}, '', names)};\n`);
  return texts.join('\n');
}

function typeText(schema: Schema, indent: string, names: Set<string>): string {
  if (schema.$ref !== undefined) return addReference(schema.$ref, names);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const variants = schema.anyOf ?? [];
  if (variants.length > 0) return union(variants.map((item) => typeText(item, indent, names)));
  if (schema.allOf !== undefined) return schema.allOf.map((item) => typeText(item, indent, names)).join(' & ');
  const types = [schema.type ?? []].flat();
  if (schema.enum !== undefined)
    return union([...schema.enum.map((value) => JSON.stringify(value)), ...(types.includes('null') ? ['null'] : [])]);
  return types.length === 0 ? 'unknown' : union(types.map((type) => plainType(type, schema, indent, names)));
}

function plainType(
  type: string,
  { items, properties, required = [] }: Schema,
  indent: string,
  names: Set<string>,
): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly ${inBrackets(typeText(items ?? {}, indent, names))}[]`;
  if (type !== 'object') return type;
  if (properties === undefined) return 'Record<string, unknown>';
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${inner}${key}${required.includes(name) ? '' : '?'}: ${typeText(field, inner, names)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function addReference(reference: string, names: Set<string>): string {
  const name = reference.split('/').at(-1) ?? '';
  names.add(name);
  return name;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
const inBrackets = (text: string): string => (/ [|&] /.test(text) ? `(${text})` : text);
