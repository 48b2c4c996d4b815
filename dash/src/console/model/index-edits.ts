import { readDefinition, withValue } from './definition-text.js';
import { type FilePart, partOf, withMember } from './file-edits.js';

/** Returns the indexes of a definition. Invalid entries become empty objects. */
export function indexesOf(text: string): readonly FilePart[] {
  return listIn(text).map(partOf);
}

export function addIndex(text: string): string {
  return withIndexes(text, [...listIn(text), { columns: [], unique: true }]);
}

export function setIndex(text: string, index: number, member: 'columns' | 'name' | 'unique', value: unknown): string {
  const change = (item: unknown, at: number): unknown =>
    at === index ? (withMember(partOf(item), member, value) ?? {}) : item;
  return withIndexes(text, listIn(text).map(change));
}

export function removeIndex(text: string, index: number): string {
  return withIndexes(
    text,
    listIn(text).filter((_, at) => at !== index),
  );
}

export function readColumns(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

function withIndexes(text: string, list: readonly unknown[]): string {
  const db = partOf(readDefinition(text)?.db);
  return withValue(text, ['db'], withMember(db, 'indexes', list.length === 0 ? undefined : list));
}

function listIn(text: string): readonly unknown[] {
  const list = partOf(readDefinition(text)?.db)['indexes'];
  return Array.isArray(list) ? (list as unknown[]) : [];
}
