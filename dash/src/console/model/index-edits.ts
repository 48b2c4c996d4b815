import { readDefinition, withValue } from './definition-text.js';
import { type FilePart, partOf, withMember } from './file-edits.js';

/** Returns the indexes that a definition names, in their order; one that is no object has nothing yet. */
export function indexesOf(text: string): readonly FilePart[] {
  return listIn(text).map(partOf);
}

/** Adds an index at the end that lets no two records have the same values of its fields. Which those are is to be said. */
export function addIndex(text: string): string {
  return withIndexes(text, [...listIn(text), { columns: [], unique: true }]);
}

/** Sets a member of an index; `undefined` takes it away. */
export function setIndex(text: string, index: number, member: 'columns' | 'name' | 'unique', value: unknown): string {
  const change = (one: unknown, at: number): unknown =>
    at === index ? (withMember(partOf(one), member, value) ?? {}) : one;
  return withIndexes(text, listIn(text).map(change));
}

/** Takes an index away and, with the last, the list. */
export function removeIndex(text: string, index: number): string {
  return withIndexes(
    text,
    listIn(text).filter((_, at) => at !== index),
  );
}

/** Reads names of fields that stand between commas or spaces. */
export function readColumns(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Writes the indexes into a definition; everything else of `db` stays. */
function withIndexes(text: string, list: readonly unknown[]): string {
  const db = partOf(readDefinition(text)?.db);
  return withValue(text, ['db'], withMember(db, 'indexes', list.length === 0 ? undefined : list));
}

function listIn(text: string): readonly unknown[] {
  const list = partOf(readDefinition(text)?.db)['indexes'];
  return Array.isArray(list) ? (list as unknown[]) : [];
}
