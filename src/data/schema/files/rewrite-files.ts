import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import type { SchemaFile } from './read-schema-files.js';

/** Holds the definitions for the files by name; null for a removed schema. */
export type WantedDefinitions = ReadonlyMap<string, SchemaDefinition | null>;

/**
 * Returns what becomes of the files: the new JSON of each that changes by name, null for one that goes. A definition is replaced
 * where it stands, also within a list; one that stands nowhere gets a file of its own.
 */
export function rewriteFiles(files: readonly SchemaFile[], wanted: WantedDefinitions): ReadonlyMap<string, unknown> {
  const rewritten = new Map<string, unknown>();
  const found = new Set<string>();
  const replace = (entry: unknown): readonly unknown[] => {
    const name = nameOf(entry);
    const definition = name === undefined ? undefined : wanted.get(name);
    if (name === undefined || definition === undefined) return [entry];
    found.add(name);
    return definition === null ? [] : [definition];
  };
  for (const { name, json } of files) {
    const entries = entriesOf(json);
    const next = entries.flatMap(replace);
    if (next.length === entries.length && next.every((entry, index) => entry === entries[index])) continue;
    rewritten.set(name, next.length === 0 ? null : inTheFormOf(json, next));
  }
  for (const [name, definition] of wanted) {
    if (definition !== null && !found.has(name)) rewritten.set(`${name}.json`, definition);
  }
  return rewritten;
}

function entriesOf(json: unknown): readonly unknown[] {
  const list = isObject(json) && Object.hasOwn(json, 'schemas') ? json['schemas'] : json;
  return Array.isArray(list) ? (list as unknown[]) : [list];
}

function inTheFormOf(json: unknown, entries: readonly unknown[]): unknown {
  if (Array.isArray(json)) return entries;
  return isObject(json) && Object.hasOwn(json, 'schemas') ? { ...json, schemas: entries } : entries[0];
}

function nameOf(entry: unknown): string | undefined {
  return isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
