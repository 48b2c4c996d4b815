import { isStorable } from '../../../kernel/storable-text.js';
import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import { isJsonObject } from './read-members.js';

const PARAMS = { expected: 'text that can be stored', actual: 'text with NUL or half a surrogate pair' };

/**
 * Reports every text of a definition that PostgreSQL cannot store, names of members included. Walks a list, not recursively, so
 * that no depth can overflow the stack.
 */
export function checkText(definition: unknown, place: Place, faults: FaultList): void {
  const nodes = [{ node: definition, property: '', place }];
  for (const { node, property, place } of nodes) {
    if (typeof node === 'string') {
      if (!isStorable(node)) report(property, place, faults);
    } else if (typeof node === 'object' && node !== null) {
      for (const [name, entry] of Object.entries(node)) {
        const below = placeOf(entry, name, place);
        if (!isStorable(name)) report(name, below, faults);
        nodes.push({ node: entry, property: name, place: below });
      }
    }
  }
}

function report(property: string, place: Place, faults: FaultList): void {
  const isField = place.field !== undefined || place.index !== undefined;
  faults.add(isField ? 'field.property.invalid' : 'schema.property.invalid', place, {
    params: { property, ...PARAMS },
  });
}

/** Returns the place of a member; a member of `fields` is about that field. */
function placeOf(node: unknown, name: string, parent: Place): Place {
  const path = jsonPointer(parent.path, name);
  if (!/^(\/schemas)?(\/\d+)?\/fields\/\d+$/.test(path)) return { ...parent, path };
  const field =
    isJsonObject(node) && typeof node['name'] === 'string' && node['name'] !== '' ? node['name'] : undefined;
  return { ...parent, path, field, index: field === undefined ? Number(name) : undefined };
}
