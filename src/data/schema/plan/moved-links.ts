import type {
  LinkedColumn,
  LinkedSchema,
  LinkedTable,
  LinkedRelationField,
  SchemaModel,
} from '../../model/schema-model.types.js';
import { archivedName } from './plan-names.js';
import type { DataCheck, PlannedAction } from './plan.types.js';
import type { RelationType } from '../../../kernel/schema-definition.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';

/** Relations whose storage changes. Their links are copied, so archiving the old column or junction loses no data. */
export interface MovedLinks {
  readonly left: ReadonlySet<string>;
  /** New columns that receive links, by id, with the check for required ones. */
  readonly filled: ReadonlyMap<string, DataCheck>;
  readonly actions: readonly PlannedAction[];
}

/** Finds relations between the same two fields whose links are stored in another place. */
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

/** Returns the names after archiving; undefined if the referenced column is dropped too. */
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

interface JunctionColumns {
  readonly one: string;
  readonly other: string;
  readonly order: string | undefined;
}

type StoredLinks =
  | (JunctionColumns & { readonly kind: 'junction'; readonly table: LinkedTable })
  | {
      readonly kind: 'column';
      readonly holder: 'one' | 'other';
      readonly column: LinkedColumn;
      readonly targetColumn: LinkedColumn;
    };

interface LinkPair {
  /** Built from the ids of both fields. A relation between the same fields keeps its id with any storage. */
  readonly id: string;
  readonly type: RelationType;
  readonly one: LinkedSchema;
  readonly other: LinkedSchema;
  readonly field: string;
  readonly links: StoredLinks;
}

export function linkedPairs(schemas: readonly LinkedSchema[], model: SchemaModel): readonly LinkPair[] {
  const pairs: LinkPair[] = [];
  for (const one of schemas) {
    for (const field of Object.values(one.fields)) {
      const other = field.kind === 'relation' ? model.schemas[field.target] : undefined;
      const back = field.kind === 'relation' ? other?.fields[field.backField] : undefined;
      // Each relation is found from both fields. The one with the smaller id is used.
      if (field.kind !== 'relation' || other === undefined || back === undefined || field.id > back.id) continue;
      const links = storedLinks(one, other, field);
      if (links)
        pairs.push({ id: `${field.id} ${back.id}`, type: field.relation, one, other, field: field.name, links });
    }
  }
  return pairs;
}

function storedLinks(one: LinkedSchema, other: LinkedSchema, { join }: LinkedRelationField): StoredLinks | undefined {
  if (join.kind === 'junction') {
    const table = [...one.junctions, ...other.junctions].find(({ name }) => name === join.junctionTable);
    if (table === undefined) return undefined;
    const order = table.columns.find(({ identity }) => identity)?.name;
    return { kind: 'junction', table, one: join.junctionOwnColumn, other: join.junctionTargetColumn, order };
  }
  const own = one.table.columns.find(({ name }) => name === join.ownColumn);
  const target = other.table.columns.find(({ name }) => name === join.targetColumn);
  if (own === undefined || target === undefined) return undefined;
  return join.holder === 'own'
    ? { kind: 'column', holder: 'one', column: own, targetColumn: target }
    : { kind: 'column', holder: 'other', column: target, targetColumn: own };
}

type LinkNames =
  | (JunctionColumns & { readonly kind: 'junction'; readonly table: string })
  | {
      readonly kind: 'column';
      readonly holder: 'one' | 'other';
      readonly table: string;
      readonly key: string;
      readonly column: string;
      readonly target: string;
      readonly targetKey: string;
      readonly targetColumn: string;
    };

function moveSql(from: LinkNames, pair: LinkPair): string {
  const { links } = pair;
  if (links.kind === 'junction') {
    const columns = `${q(links.one)}, ${q(links.other)}`;
    return `INSERT INTO ${q(links.table.name)} (${columns}) SELECT "one", "other" FROM ${pairs(from)}`;
  }
  const { holder } = links;
  const [held, target] = sidesOf(pair, holder);
  return `UPDATE ${q(held.table.name)} AS "h" SET ${q(links.column.name)} = "t".${q(links.targetColumn.name)}
  FROM ${chosen(from, pair.type, holder)} JOIN ${q(target.table.name)} AS "t" ON "t".${quotedKey(target)} = "chosen"."${otherSide(holder)}"
  WHERE "h".${quotedKey(held)} = "chosen"."${holder}"`;
}

/** Counts the links that cannot be kept in the new storage; undefined if all can. */
function lostLinksSql(from: LinkNames, { type, links }: LinkPair): string | undefined {
  if (links.kind === 'junction') return undefined;
  const holding = `count(*) - count(DISTINCT "${links.holder}")`;
  const held = `count(*) - count(DISTINCT "${otherSide(links.holder)}")`;
  return `SELECT ${type === 'o2o' ? `greatest(${holding}, ${held})` : holding} AS "count" FROM ${pairs(from)}`;
}

function unlinkedCheck(from: LinkNames, side: 'one' | 'other', held: LinkedSchema): DataCheck {
  const { name } = held.table;
  const rows = `FROM ${q(name)} AS "r" WHERE NOT EXISTS (SELECT 1 FROM ${pairs(from)} WHERE "${side}" = "r".${quotedKey(held)})`;
  return {
    kind: 'not_null',
    words: `rows of "${name}" have no link, which the relation requires`,
    countSql: `SELECT count(*) AS "count" ${rows}`,
    examplesSql: `SELECT "r".${quotedKey(held)}::text AS "example" ${rows} LIMIT 5`,
  };
}

function pairs(from: LinkNames): string {
  if (from.kind === 'junction') {
    const order = from.order === undefined ? '0' : q(from.order);
    return `(SELECT ${q(from.one)} AS "one", ${q(from.other)} AS "other", ${order} AS "order" FROM ${q(from.table)}) AS "links"`;
  }
  return `(SELECT "h".${q(from.key)} AS "${from.holder}", "t".${q(from.targetKey)} AS "${otherSide(from.holder)}", 0 AS "order"
  FROM ${q(from.table)} AS "h" JOIN ${q(from.target)} AS "t" ON "t".${q(from.targetColumn)} = "h".${q(from.column)}) AS "links"`;
}

/** Selects one link per record: the first, or the one with the smallest key if there is no order. */
function chosen(from: LinkNames, type: RelationType, holder: 'one' | 'other'): string {
  const held = otherSide(holder);
  const each = `SELECT DISTINCT ON ("${holder}") "one", "other" FROM ${pairs(from)} ORDER BY "${holder}", "order", "${held}"`;
  if (type !== 'o2o') return `(${each}) AS "chosen"`;
  return `(SELECT DISTINCT ON ("${held}") "one", "other" FROM (${each}) AS "each" ORDER BY "${held}", "${holder}") AS "chosen"`;
}

function otherSide(side: 'one' | 'other'): 'one' | 'other' {
  return side === 'one' ? 'other' : 'one';
}

function quotedKey(schema: LinkedSchema): string {
  return q(keyOf(schema));
}
