import { parseJson } from '../../../../src/kernel/text/json.js';
import type { JsonValue } from '../../../../src/kernel/schema-definition.types.js';
import type { Origin, SourceFile } from './conversion.types.js';
import { type Notes, pointerTo } from './notes.js';

const MAX_DEPTH = 64;

/**
 * An object of the source that tracks which members were read. {@link noteUnread} adds notes for the others, so that no member is dropped
 * silently. Members of an unexpected type are noted too.
 */
export class SourceObject {
  private readonly read = new Set<string>();

  constructor(
    readonly value: Readonly<Record<string, unknown>>,
    readonly at: Origin,
    readonly notes: Notes,
  ) {}

  originOf(...members: readonly (string | number)[]): Origin {
    return { file: this.at.file, pointer: pointerTo(this.at.pointer, ...members) };
  }

  /** Returns a member of any type; undefined if it is missing or null. */
  any(member: string): unknown {
    this.read.add(member);
    return Object.hasOwn(this.value, member) ? (this.value[member] ?? undefined) : undefined;
  }

  text(member: string): string | undefined {
    return this.typed(member, 'text', (value) => typeof value === 'string');
  }

  number(member: string): number | undefined {
    return this.typed(member, 'a number', (value) => typeof value === 'number');
  }

  flag(member: string): boolean | undefined {
    return this.typed(member, 'true or false', (value) => typeof value === 'boolean');
  }

  texts(member: string): readonly string[] {
    return this.list(member).flatMap((entry, at) => {
      if (typeof entry === 'string') return [entry];
      this.notes.add(this.originOf(member, at), 'The value is not text and was skipped.');
      return [];
    });
  }

  list(member: string): readonly unknown[] {
    return this.typed(member, 'a list', (value) => Array.isArray(value)) ?? [];
  }

  objects(member: string): readonly SourceObject[] {
    return this.list(member).flatMap((entry, at) => objectAt(entry, this.originOf(member, at), this.notes) ?? []);
  }

  object(member: string): SourceObject | undefined {
    const value = this.any(member);
    return value === undefined ? undefined : objectAt(value, this.originOf(member), this.notes);
  }

  /** Drops members without a note, because the result needs no equivalent. */
  ignore(...members: readonly string[]): void {
    for (const member of members) this.read.add(member);
  }

  /** Drops a member, and adds a note if it has a value. */
  drop(member: string, message: string): void {
    const value = this.any(member);
    if (!isEmpty(value)) this.notes.add(this.originOf(member), message);
  }

  /** Adds notes for all unread members that are not empty. */
  noteUnread(): void {
    for (const [member, value] of Object.entries(this.value))
      if (!this.read.has(member) && !isEmpty(value))
        this.notes.add(this.originOf(member), `\`${member.slice(0, 100)}\` is not supported and was skipped.`);
  }

  private typed<T>(member: string, expected: string, is: (value: unknown) => boolean): T | undefined {
    const value = this.any(member);
    if (value === undefined || is(value)) return value as T | undefined;
    this.notes.add(this.originOf(member), `The value is not ${expected} and was skipped.`);
    return undefined;
  }
}

export function objectAt(value: unknown, at: Origin, notes: Notes): SourceObject | undefined {
  if (isObject(value)) return new SourceObject(value, at, notes);
  notes.add(at, 'The value is not an object and was skipped.');
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON file. Returns undefined and adds a note if it is invalid. */
export function readJson(file: SourceFile, notes: Notes): unknown {
  const at = { file: file.name, pointer: '' };
  try {
    const value = parseJson(file.text.replace(/^\uFEFF/, ''));
    if (depthOf(value) <= MAX_DEPTH) return value;
    notes.add(at, 'The file is nested too deeply and was skipped.');
  } catch {
    notes.add(at, 'The file is not well-formed JSON and was skipped.');
  }
  return undefined;
}

function depthOf(value: unknown, depth = MAX_DEPTH + 1): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  let deepest = 0;
  for (const entry of Object.values(value)) deepest = Math.max(deepest, depthOf(entry, depth - 1));
  return 1 + deepest;
}

export function jsonValue(value: unknown): JsonValue | undefined {
  return value as JsonValue | undefined;
}

/** Returns true for empty values, which tools write by default. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
