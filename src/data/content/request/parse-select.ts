import { type QueryFaults, tooDeep } from './query-faults.js';

export interface SelectNode {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  readonly relations: ReadonlyMap<string, SelectNode>;
}

interface OpenNode {
  all: boolean;
  readonly names: Set<string>;
  readonly relations: Map<string, OpenNode>;
}

export const SELECT_ALL: SelectNode = { all: true, names: new Set(), relations: new Map() };

/** Parses `id,title,category.name,tags.*`. A relation name alone selects all its own fields. */
export function parseSelect(text: string, faults: QueryFaults): SelectNode {
  const root = openNode();
  if (text.length > faults.limits.listLength) {
    faults.add('select', 'too_long', `has more than ${faults.limits.listLength} characters`);
    return root;
  }
  const count = { relations: 0 };
  const items = text.split(',').map((item) => item.trim());
  faults.addRepeated('select', items);
  for (const item of items) addPath(root, item, count, faults);
  const { relationNodes } = faults.limits;
  if (count.relations > relationNodes) faults.add('select', 'too_many', `has more than ${relationNodes} relations`);
  return root;
}

function addPath(root: OpenNode, item: string, count: { relations: number }, faults: QueryFaults): void {
  const path = item.split('.');
  if (path.includes('')) return faults.add('select', 'malformed');
  if (path.length - 1 > faults.limits.depth) return faults.add(item, 'too_deep', tooDeep(faults.limits.depth));
  let node = root;
  for (const name of path.slice(0, -1)) {
    let next = node.relations.get(name);
    if (next === undefined) {
      next = openNode();
      count.relations += 1;
      node.relations.set(name, next);
    }
    node = next;
  }
  const last = path.at(-1) ?? '*';
  if (last === '*') node.all = true;
  else node.names.add(last);
}

function openNode(): OpenNode {
  return { all: false, names: new Set(), relations: new Map() };
}
