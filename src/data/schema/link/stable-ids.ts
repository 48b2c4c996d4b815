import { hash } from 'node:crypto';

import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { isSystemField } from './all-fields.js';

/** Returns a new id for a subject (`schema:post`, `field:post.title`). Equal subjects must get equal ids in one run. */
export type NewId = (subject: string) => string;

/**
 * Returns UUIDs of version 8 (RFC 9562 §5.8) by seed: planning twice gives the same plan. A seed must not recur: use the
 * version.
 */
export function seededIds(seed: string): NewId {
  return (subject) => {
    const hex = hash('sha256', `${seed}\n${subject}`);
    const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `8${hex.slice(13, 16)}`,
      variant + hex.slice(17, 20),
      hex.slice(20, 32),
    ].join('-');
  };
}

const systemId = seededIds('system');

export interface StableIds {
  schema(schema: CheckedSchema): string;
  field(schema: CheckedSchema, field: string): string;
  /** Returns the schema of the former model that is this one, under whatever name. */
  former(schema: CheckedSchema): LinkedSchema | undefined;
}

/** Keeps the ids of schemas and fields, also over `renames`. System schemas and their fields have the same ids everywhere. */
export function stableIds(
  previous: SchemaModel | undefined,
  schemas: readonly CheckedSchema[],
  newId: NewId,
): StableIds {
  const claimed = new Set(schemas.map((schema) => schema.renames?.schema).filter((name) => name !== undefined));
  const former = (schema: CheckedSchema): LinkedSchema | undefined => {
    const { name } = schema.definition;
    const renamed = previous?.schemas[schema.renames?.schema ?? ''];
    // A name that another schema leaves behind belongs to that one; a rename that was applied before changes nothing.
    return renamed ?? (claimed.has(name) ? undefined : previous?.schemas[name]);
  };
  const known = new Map<string, string>();
  const remembered = (subject: string, make: () => string) => {
    const id = known.get(subject) ?? make();
    known.set(subject, id);
    return id;
  };
  return {
    former,
    schema: (schema) => {
      const subject = `schema:${schema.definition.name}`;
      if (schema.system) return remembered(subject, () => systemId(subject));
      return remembered(subject, () => former(schema)?.id ?? newId(subject));
    },
    field: (schema, field) => {
      const subject = `field:${schema.definition.name}.${field}`;
      if (isSystemField(schema, field)) return remembered(subject, () => systemId(subject));
      return remembered(subject, () => formerFieldId(schema, field, former(schema)) ?? newId(subject));
    },
  };
}

const NO_RENAMES: ReadonlyMap<string, string> = new Map();

/** Returns the renames without those applied before: the first name of their chain is gone, and all others exist. */
export function effectiveRenames(schema: CheckedSchema, former: LinkedSchema | undefined): ReadonlyMap<string, string> {
  if (schema.renames === undefined || schema.renames.fields.size === 0) return NO_RENAMES;
  const renames = new Map(schema.renames.fields);
  const targets = new Set(renames.values());
  for (const first of schema.renames.fields.keys()) {
    if (targets.has(first) || former === undefined || former.fields[first] !== undefined) continue;
    const chain = chainOf(first, renames);
    const isApplied = chain.every((name) => former.fields[renames.get(name) ?? ''] !== undefined);
    if (isApplied) for (const name of chain) renames.delete(name);
  }
  return renames;
}

/** Returns the names from this one on that are renamed; none of a chain leads back to its first. */
function chainOf(first: string, renames: ReadonlyMap<string, string>): readonly string[] {
  const chain: string[] = [];
  for (let name: string | undefined = first; name !== undefined && renames.has(name) && !chain.includes(name);) {
    chain.push(name);
    name = renames.get(name);
  }
  return chain;
}

function formerFieldId(schema: CheckedSchema, field: string, former: LinkedSchema | undefined): string | undefined {
  const renames = effectiveRenames(schema, former);
  const renamed = [...renames].find(([, name]) => name === field)?.[0];
  const renamedId = renamed === undefined ? undefined : former?.fields[renamed]?.id;
  return renamedId ?? (renames.has(field) ? undefined : former?.fields[field]?.id);
}
