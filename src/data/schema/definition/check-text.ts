import { isJsonObject } from '../../../kernel/json-object.js';
import { isStorable } from '../../../kernel/storable-text.js';
import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';

const PARAMS = { expected: 'text that can be stored', actual: 'text with NUL or half a surrogate pair' };

/** An object or a list of a definition, with the way to it. */
interface Visited {
  readonly node: object;
  readonly name: string;
  readonly parent: Visited | null;
}

/**
 * Reports every text of a definition that PostgreSQL cannot store, names of members included. Walks a list, not recursively, so
 * that no depth can overflow the stack. Places are only determined for errors: a body can have hundreds of thousands of values.
 */
export function checkText(definition: unknown, place: Place, faults: FaultList): void {
  const visits: Visited[] = isObject(definition) ? [{ node: definition, name: '', parent: null }] : [];
  if (typeof definition === 'string' && !isStorable(definition)) report('', place, faults);
  for (const visited of visits) {
    if (faults.isFull) return;
    const { node } = visited;
    for (const key of Object.keys(node)) {
      const entry: unknown = node[key as keyof typeof node];
      if (isObject(entry)) visits.push({ node: entry, name: key, parent: visited });
      if (!isStorable(key) || (typeof entry === 'string' && !isStorable(entry)))
        report(key, placeOf(entry, key, visited, place), faults);
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function report(property: string, place: Place, faults: FaultList): void {
  const isField = place.field !== undefined || place.index !== undefined;
  faults.add(isField ? 'field.property.invalid' : 'schema.property.invalid', place, {
    params: { property, ...PARAMS },
  });
}

/** Returns the place of a member; a member of `fields` is about that field. */
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
