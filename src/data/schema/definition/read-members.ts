import { type FaultList, type Place, jsonPointer } from '../codes/fault-list.js';
import { isJsonObject } from '../../../kernel/text/json-object.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { SchemaFaultCode } from '../codes/schema-fault.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { JsonObject } from '../../../kernel/schema-definition.types.js';
import type { MemberKind, MemberTable, MemberValues, RawNode } from './definition-members.js';
import { isStorable } from '../../../kernel/text/storable-text.js';

interface MemberCodes {
  readonly invalid: SchemaFaultCode;
  readonly unknown: SchemaFaultCode;
}

export const SCHEMA_MEMBER_CODES: MemberCodes = {
  invalid: 'schema.property.invalid',
  unknown: 'schema.property.unknown',
};

export const FIELD_MEMBER_CODES: MemberCodes = { invalid: 'field.property.invalid', unknown: 'field.property.unknown' };

export const RELATION_MEMBER_CODES: MemberCodes = {
  invalid: 'relation.property.invalid',
  unknown: 'relation.property.unknown',
};

/** Reads the members of an object that have the right JSON type, and reports all others. */
export function readMembers<T extends MemberTable>(
  node: JsonObject,
  table: T,
  codes: MemberCodes,
  place: Place,
  faults: FaultList,
): RawNode<T> {
  const values: Record<string, unknown> = {};
  const faulty = new Set<string>();
  for (const [member, value] of Object.entries(node)) {
    if (faults.isFull) break;
    const path = jsonPointer(place.path, member);
    const kind = Object.hasOwn(table, member) ? table[member] : undefined;
    if (kind === undefined) {
      const suggestion = nearName(member, Object.keys(table));
      faults.add(codes.unknown, place, { path, suggestion, params: { property: member } });
    } else if (value === null || value === undefined) {
      continue;
    } else if (isOfKind(value, kind)) {
      values[member] = value;
    } else {
      faulty.add(member);
      const params = { property: member, expected: EXPECTED[kind], actual: describeJson(value) };
      faults.add(codes.invalid, place, { path, params });
    }
  }
  return { place, values: values as MemberValues<T>, faulty };
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
export function checkText(definition: unknown, place: Place, faults: FaultList): void {
  const visits: Visited[] = isContainer(definition) ? [{ node: definition, name: '', parent: null }] : [];
  if (typeof definition === 'string' && !isStorable(definition)) report('', place, faults);
  for (const visited of visits) {
    if (faults.isFull) return;
    const { node } = visited;
    for (const key of Object.keys(node)) {
      const entry: unknown = node[key as keyof typeof node];
      if (isContainer(entry)) visits.push({ node: entry, name: key, parent: visited });
      if (!isStorable(key) || (typeof entry === 'string' && !isStorable(entry)))
        report(key, placeOf(entry, key, visited, place), faults);
    }
  }
}

function report(property: string, place: Place, faults: FaultList): void {
  const isField = place.field !== undefined || place.index !== undefined;
  faults.add(isField ? 'field.property.invalid' : 'schema.property.invalid', place, {
    params: { property, ...PARAMS },
  });
}

function placeOf(entry: unknown, name: string, parent: Visited, root: Place): Place {
  const way: (readonly [node: unknown, name: string])[] = [[entry, name]];
  for (let visited: Visited | null = parent; visited?.parent; visited = visited.parent)
    way.unshift([visited.node, visited.name]);
  return way.reduce<Place>((place, [node, step]) => memberPlace(node, step, place), root);
}

function memberPlace(node: unknown, name: string, parent: Place): Place {
  const path = jsonPointer(parent.path, name);
  if (!/^(\/schemas)?(\/\d+)?\/fields\/\d+$/.test(path)) return { ...parent, path };
  const field =
    isJsonObject(node) && typeof node['name'] === 'string' && node['name'] !== '' ? node['name'] : undefined;
  return { ...parent, path, field, index: field === undefined ? Number(name) : undefined };
}
