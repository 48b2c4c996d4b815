import type { LinkedColumn, LinkedSchema, LinkedTable } from '../../model/schema-model.types.js';
import { archivedName } from './plan-names.js';
import type { DataCheck, PlannedAction } from './plan.types.js';
import {
  type LinkPair,
  type StoredLinks,
  type LinkNames,
  lostLinksSql,
  moveSql,
  unlinkedCheck,
} from './stored-links.js';

/** Relations that are stored in another way than before: what gives way has its links copied, and so loses nothing. */
export interface MovedLinks {
  /** Ids of the columns and junction tables whose links are copied. */
  readonly left: ReadonlySet<string>;
  /** The new columns that are filled, by id, with what the data must have for one that is required. */
  readonly filled: ReadonlyMap<string, DataCheck>;
  readonly actions: readonly PlannedAction[];
}

/** Finds the relations whose two sides are the same fields as before and whose links are kept in another place. */
export function movedLinks(before: readonly LinkPair[], after: readonly LinkPair[], version: number): MovedLinks {
  const former = new Map(before.map((pair) => [pair.id, pair]));
  const left = new Set<string>();
  const filled = new Map<string, DataCheck>();
  const actions: PlannedAction[] = [];
  for (const pair of after) {
    const source = former.get(pair.id);
    if (source === undefined || isSamePlace(source.links, pair.links)) continue;
    const archived = archivedNames(source, pair, version);
    if (archived === undefined) continue;
    left.add(placeId(source.links));
    if (pair.links.kind === 'column') {
      const { column, holder } = pair.links;
      filled.set(column.id, unlinkedCheck(namesBefore(source), holder, source[holder]));
    }
    actions.push(copyAction(source, pair, archived));
  }
  return { left, filled, actions };
}

function copyAction(source: LinkPair, pair: LinkPair, archived: LinkNames): PlannedAction {
  const { one, field, links } = pair;
  const [table, to] =
    links.kind === 'junction' ? [links.table.name, undefined] : [pair[links.holder].table.name, links.column.name];
  const lossSql = lostLinksSql(namesBefore(source), pair);
  return {
    action: { kind: 'copy_links', table, field, schema: one.name, ...(to ? { to } : {}), sql: moveSql(archived, pair) },
    schema: one.name,
    field,
    ...(lossSql ? { lossSql } : {}),
  };
}

function isSamePlace(left: StoredLinks, right: StoredLinks): boolean {
  if (left.kind === 'junction' || right.kind === 'junction') return left.kind === right.kind;
  return left.holder === right.holder;
}

function placeId(links: StoredLinks): string {
  return links.kind === 'junction' ? links.table.id : links.column.id;
}

/** Returns where the links stand before the plan. */
function namesBefore(source: LinkPair): LinkNames {
  const { links } = source;
  if (links.kind === 'junction') return { ...links, table: links.table.name };
  const [holder, target] = sidesOf(source, links.holder);
  return {
    kind: 'column',
    holder: links.holder,
    table: holder.table.name,
    key: keyOf(holder),
    column: links.column.name,
    target: target.table.name,
    targetKey: keyOf(target),
    targetColumn: links.targetColumn.name,
  };
}

/** Returns where they stand once everything that goes is archived; `undefined` where what they lead to goes too. */
function archivedNames(source: LinkPair, pair: LinkPair, version: number): LinkNames | undefined {
  const { links } = source;
  const names = namesBefore(source);
  if (links.kind === 'junction') return { ...names, table: archivedOf(links.table, version) };
  const [holder, target] = sidesOf(pair, links.holder);
  const { targetColumn } = links;
  const current = target.table.columns.find(({ id }) => id === targetColumn.id);
  if (current === undefined || current.sqlType !== targetColumn.sqlType) return undefined;
  return {
    kind: 'column',
    holder: links.holder,
    table: holder.table.name,
    key: keyOf(holder),
    column: archivedOf(links.column, version),
    target: target.table.name,
    targetKey: keyOf(target),
    targetColumn: current.name,
  };
}

function archivedOf({ name, id }: LinkedTable | LinkedColumn, version: number): string {
  return archivedName(name, id, version);
}

function sidesOf({ one, other }: LinkPair, holder: 'one' | 'other'): readonly [LinkedSchema, LinkedSchema] {
  return holder === 'one' ? [one, other] : [other, one];
}

function keyOf({ table }: LinkedSchema): string {
  return table.primaryKey.columns[0] ?? 'id';
}
