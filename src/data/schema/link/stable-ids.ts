import { hash } from 'node:crypto';

import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';

/** Returns a new id for a subject (`schema:post`, `field:post.title`). Equal subjects must get equal ids in one run. */
export type NewId = (subject: string) => string;

/** Generates UUIDs of version 8 (RFC 9562 §5.8) from a seed, so that planning is repeatable. A seed must not be reused: use the version. */
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
  /** Returns the same schema in the previous model, even under another name. */
  former(schema: CheckedSchema): LinkedSchema | undefined;
}

/** Keeps ids of schemas and fields, also over `renames`. Ids of system schemas and their fields are the same in every database. */
export function stableIds(
  previous: SchemaModel | undefined,
  schemas: readonly CheckedSchema[],
  newId: NewId,
): StableIds {
  const claimed = new Set(schemas.map((schema) => schema.renames?.schema).filter((name) => name !== undefined));
  const former = (schema: CheckedSchema): LinkedSchema | undefined => {
    const { name } = schema;
    const renamed = previous?.schemas[schema.renames?.schema ?? ''];
    // A name that another schema gives up belongs to that schema. A rename that was already applied changes nothing.
    return renamed ?? (claimed.has(name) ? undefined : previous?.schemas[name]);
  };
  const idBySubject = new Map<string, string>();
  const idOf = (subject: string, isSystem: boolean, formerId: () => string | undefined): string => {
    const id = idBySubject.get(subject) ?? (isSystem ? systemId(subject) : (formerId() ?? newId(subject)));
    idBySubject.set(subject, id);
    return id;
  };
  return {
    former,
    schema: (schema) => idOf(`schema:${schema.name}`, schema.system !== undefined, () => former(schema)?.id),
    field: (schema, field) =>
      idOf(`field:${schema.name}.${field}`, schema.isSystemField(field), () =>
        formerFieldId(schema, field, former(schema)),
      ),
  };
}

const NO_RENAMES: ReadonlyMap<string, string> = new Map();

/** Removes renames that were already applied: the first name of their chain no longer exists, and all others do. */
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
