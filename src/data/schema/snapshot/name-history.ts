import { plainRecord } from '../../model/plain-record.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';

/** Former meanings of names, so that a permission by name does not apply to a new owner of the name. Keys are `post` and `post.title`. */
export interface NameHistory {
  /** Names of removed schemas and fields, with their stable ids. An undo may restore them. */
  readonly retired: Readonly<Record<string, string>>;
  /** Names with a new meaning, and the version since which it applies. */
  readonly retaken: Readonly<Record<string, number>>;
}

export const NO_HISTORY: NameHistory = Object.freeze({ retired: frozen<string>([]), retaken: frozen<number>([]) });

/** Returns the version since which a name has another meaning; 0 if it never changed. A recreated schema has new fields. */
export function reusedAt({ retaken }: NameHistory, schema: string, field?: string): number {
  const since = retaken[schema] ?? 0;
  return field === undefined ? since : Math.max(since, retaken[`${schema}.${field}`] ?? 0);
}

/** Returns the last version in which a name changed its meaning; 0 if none did. */
export function lastReuse({ retaken }: NameHistory): number {
  return Object.values(retaken).reduce((latest, version) => Math.max(latest, version), 0);
}

export function followNames(
  history: NameHistory,
  before: SchemaModel,
  after: SchemaModel,
  version: number,
): NameHistory {
  const removed = Object.values(before.schemas).filter((schema) => after.schemas[schema.name] !== schema);
  const added = Object.values(after.schemas).filter((schema) => before.schemas[schema.name] !== schema);
  if (removed.length === 0 && added.length === 0) return history;
  const retired = new Map(Object.entries(history.retired));
  const retaken = new Map(Object.entries(history.retaken));
  /** Returns true if the name had another meaning before. */
  const claim = (name: string, id: string): boolean => {
    const former = retired.get(name);
    retired.delete(name);
    if (former === undefined || former === id) return false;
    retaken.set(name, version);
    return true;
  };
  const former = new Map(removed.map((schema) => [schema.id, schema]));
  for (const names of [retired, retaken]) moveFields(names, former, added);
  for (const { name, id } of removed) if (after.schemas[name]?.id !== id) retired.set(name, id);
  for (const { name, id, fields } of added) {
    const isAnother = claim(name, id);
    const previous = former.get(id);
    if (previous !== undefined) {
      for (const field of Object.values(previous.fields))
        if (fields[field.name]?.id !== field.id) retired.set(`${name}.${field.name}`, field.id);
      for (const field of Object.values(fields)) claim(`${name}.${field.name}`, field.id);
    } else if (isAnother) for (const names of [retired, retaken]) forgetFields(names, name);
  }
  return { retired: frozen(retired), retaken: frozen(retaken) };
}

/** Moves the field history of renamed schemas, including swapped names. */
function moveFields(
  names: Map<string, unknown>,
  former: ReadonlyMap<string, LinkedSchema>,
  schemas: readonly LinkedSchema[],
): void {
  const moved = schemas.flatMap(({ id, name: to }) => {
    const from = former.get(id)?.name ?? to;
    return from === to ? [] : [{ from, to }];
  });
  const entries = moved.flatMap(({ from, to }) => {
    const own = [...names].filter(([name]) => name.startsWith(`${from}.`));
    return own.map(([name, value]) => [`${to}${name.slice(from.length)}`, value] as const);
  });
  for (const { from, to } of moved) for (const schema of [from, to]) forgetFields(names, schema);
  for (const [name, value] of entries) names.set(name, value);
}

function forgetFields(names: Map<string, unknown>, schema: string): void {
  for (const name of names.keys()) if (name.startsWith(`${schema}.`)) names.delete(name);
}

export function frozen<T>(names: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  return Object.freeze(plainRecord(names));
}
