import { nearName } from '../../../kernel/text/near-name.js';
import { type FaultList, type FaultLocation, below } from '../codes/fault-list.js';
import type { FaultDetails, SchemaFaultCode } from '../codes/schema-fault.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { JsonObject, JsonValue } from '../../../kernel/schema-definition.types.js';
import { isStorable } from '../../../kernel/text/storable-text.js';

/** JSON types of members. `any` accepts every JSON value up to the maximum depth. */
export type MemberKind = 'text' | 'boolean' | 'number' | 'object' | 'list' | 'any';

export type MemberTable = Readonly<Record<string, MemberKind>>;

export const SCHEMA_MEMBERS = {
  name: 'text',
  label_field: 'text',
  namespace: 'text',
  primary_field: 'text',
  disable_timestamp: 'boolean',
  audit: 'any',
  fields: 'list',
  db: 'object',
  renames: 'object',
} as const satisfies MemberTable;

/** Members of a field. `type`, `relation` and `enums` have separate error codes for a wrong JSON type. */
export const FIELD_MEMBERS = {
  type: 'any',
  name: 'text',
  label: 'text',
  size: 'number',
  unique: 'boolean',
  optional: 'boolean',
  default: 'any',
  immutable: 'boolean',
  setter: 'text',
  getter: 'text',
  sortable: 'boolean',
  filterable: 'boolean',
  searchable: 'boolean',
  multiple: 'boolean',
  file: 'object',
  enums: 'any',
  relation: 'any',
  renderer: 'any',
  db: 'object',
} as const satisfies MemberTable;

export const FILE_MEMBERS = {
  types: 'list',
  max_size: 'number',
  quota: 'number',
  sizes: 'object',
} as const satisfies MemberTable;

/** Members of a relation. `type` has a separate error code for a wrong JSON type. */
export const RELATION_MEMBERS = {
  schema: 'text',
  type: 'any',
  field: 'text',
  owner: 'boolean',
  optional: 'boolean',
  on_delete: 'text',
  on_update: 'text',
  on_erase: 'text',
  source_column: 'text',
  target_column: 'text',
  junction_table: 'text',
} as const satisfies MemberTable;

export const ENUM_MEMBERS = { value: 'any', label: 'text' } as const satisfies MemberTable;

export const FIELD_DB_MEMBERS = {
  column: 'text',
  index: 'boolean',
  increment: 'boolean',
} as const satisfies MemberTable;

export const SCHEMA_DB_MEMBERS = { indexes: 'list' } as const satisfies MemberTable;

export const INDEX_MEMBERS = { name: 'text', unique: 'boolean', columns: 'list' } as const satisfies MemberTable;

export const RENAME_MEMBERS = { schema: 'text', fields: 'object' } as const satisfies MemberTable;

interface KindValues {
  text: string;
  boolean: boolean;
  number: number;
  object: JsonObject;
  list: readonly JsonValue[];
  any: JsonValue;
}

/** Members with a valid JSON type. `null` counts as missing. */
type MemberValues<T extends MemberTable> = { readonly [K in keyof T]?: KindValues[T[K] & MemberKind] };

type Path = string | readonly (string | number)[];

/** An object of a definition. Members of the wrong JSON type and unknown members are reported and left out. */
export class DefinitionNode<T extends MemberTable> {
  readonly values: MemberValues<T>;
  /** Members that were already reported. They must not be reported as missing. */
  readonly faulty = new Set<string>();

  constructor(
    readonly json: JsonObject,
    table: T,
    private readonly subject: 'schema' | 'field' | 'relation',
    readonly location: FaultLocation,
    readonly faults: FaultList,
  ) {
    const values: Record<string, unknown> = {};
    for (const [member, value] of Object.entries(json)) {
      if (faults.isFull) break;
      const kind = Object.hasOwn(table, member) ? table[member] : undefined;
      if (kind === undefined) {
        const suggestion = nearName(member, Object.keys(table));
        this.report(`${subject}.property.unknown`, [member], { property: member }, { suggestion });
      } else if (isOfKind(value, kind)) {
        values[member] = value;
      } else if (value !== null && value !== undefined) {
        this.reportType([member], EXPECTED[kind], value, member);
      }
    }
    this.values = values as MemberValues<T>;
  }

  /** Returns the object below this one. @param subject prefix of the codes for its members. */
  child<C extends MemberTable>(json: JsonObject, table: C, path: Path, subject = this.subject): DefinitionNode<C> {
    return new DefinitionNode(json, table, subject, this.at(path), this.faults);
  }

  at(path: Path): FaultLocation {
    return typeof path === 'string' ? below(this.location, path) : below(this.location, ...path);
  }

  report(code: SchemaFaultCode, path: Path, params: FaultDetails['params'] = {}, details: FaultDetails = {}): void {
    this.faults.add(code, this.at(path), { params, ...details });
  }

  /** Reports an error of a member that is then left out. */
  reject(code: SchemaFaultCode, member: string, params: FaultDetails['params'] = {}): void {
    this.faulty.add(member);
    this.report(code, member, params);
  }

  reportMissing(code: SchemaFaultCode, member: string): void {
    if (!this.faulty.has(member)) this.report(code, member);
  }

  reportType(path: readonly (string | number)[], expected: string, value: unknown, property: string): void {
    this.faulty.add(String(path[0]));
    this.report(`${this.subject}.property.invalid`, path, { property, expected, actual: describeJson(value) });
  }
}

/** Returns the first entries of a list. A longer list is reported once. */
export function withinLimit<Entry>(
  what: 'schemas' | 'fields' | 'indexes',
  list: readonly Entry[],
  location: FaultLocation,
  faults: FaultList,
): readonly Entry[] {
  const limit = SCHEMA_LIMITS[what];
  if (list.length > limit)
    faults.add('schema.limit.exceeded', location, { params: { what, actual: list.length, limit } });
  return list.slice(0, limit);
}

export function describeJson(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return isShallow(value) ? 'an object' : 'a deeply nested object';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'string' ? 'text' : 'a number';
}

const EXPECTED: Readonly<Record<MemberKind, string>> = {
  text: 'text',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  list: 'a list',
  any: `a value nested at most ${SCHEMA_LIMITS.jsonDepth} levels deep`,
};

function isOfKind(value: unknown, kind: MemberKind): boolean {
  if (value === null || value === undefined) return false;
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'object') return isJsonObject(value);
  if (kind === 'list') return Array.isArray(value);
  return kind === 'any' ? isShallow(value) : typeof value === kind;
}

/** Walks level by level instead of recursively, so that deep input cannot overflow the stack. */
function isShallow(value: unknown): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 0; depth < SCHEMA_LIMITS.jsonDepth && level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const container of level)
      for (const member of Object.values(container) as unknown[]) if (isContainer(member)) next.push(member);
    level = next;
  }
  return level.every((container) => Object.keys(container).length === 0);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const PARAMS = { expected: 'text that can be stored', actual: 'text with NUL or half a surrogate pair' };

interface Visited {
  readonly node: object;
  readonly name: string;
  readonly parent: Visited | null;
}

/**
 * Reports texts and member names that PostgreSQL cannot store. Iterative, so that deep input cannot overflow the stack. Paths are computed
 * only for errors, because a body can have hundreds of thousands of values.
 */
export function checkText(definition: JsonObject, location: FaultLocation, faults: FaultList): void {
  const visits: Visited[] = [{ node: definition, name: '', parent: null }];
  for (const visited of visits) {
    if (faults.isFull) return;
    const { node } = visited;
    for (const key of Object.keys(node)) {
      const entry: unknown = node[key as keyof typeof node];
      if (isContainer(entry)) visits.push({ node: entry, name: key, parent: visited });
      if (isStorable(key) && !(typeof entry === 'string' && !isStorable(entry))) continue;
      const place = placeOf(key, visited, definition, location);
      const isField = place.field !== undefined || place.index !== undefined;
      const code = isField ? 'field.property.invalid' : 'schema.property.invalid';
      faults.add(code, place, { params: { property: key, ...PARAMS } });
    }
  }
}

/** Returns the location of a member. Below an entry of `fields`, it has the name or index of the field. */
function placeOf(member: string, parent: Visited, definition: JsonObject, root: FaultLocation): FaultLocation {
  const path = [member];
  for (let visited = parent; visited.parent !== null; visited = visited.parent) path.unshift(visited.name);
  const location = below(root, ...path);
  const [list, index = ''] = path;
  const fields: unknown = definition['fields'];
  if (list !== 'fields' || !isContainer(fields) || !/^\d+$/.test(index)) return location;
  return { ...location, ...fieldName((fields as Record<string, unknown>)[index], Number(index)) };
}

/** Returns the name of a field for its errors, or its index if it has no name. */
export function fieldName(field: unknown, index: number): Pick<FaultLocation, 'field' | 'index'> {
  const name = isJsonObject(field) ? field['name'] : undefined;
  return typeof name === 'string' && name !== '' ? { field: name, index: undefined } : { field: undefined, index };
}
