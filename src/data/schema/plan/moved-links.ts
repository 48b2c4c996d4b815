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
  readonly released: ReadonlySet<string>;
  /** New columns that receive links, by id, with the check for required ones. */
  readonly filled: ReadonlyMap<string, DataCheck>;
  readonly actions: readonly PlannedAction[];
}

type SideName = 'one' | 'other';

type StoredLinks =
  | {
      readonly kind: 'junction';
      readonly table: LinkedTable;
      readonly one: string;
      readonly other: string;
      readonly order: string | undefined;
    }
  | {
      readonly kind: 'column';
      readonly holder: SideName;
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

/** Finds relations between the same two fields whose links are stored in another place. */
export function movedLinks(before: readonly LinkPair[], after: readonly LinkPair[], version: number): MovedLinks {
  const former = new Map(before.map((pair) => [pair.id, pair]));
  const released = new Set<string>();
  const filled = new Map<string, DataCheck>();
  const actions: PlannedAction[] = [];
  for (const pair of after) {
    const source = former.get(pair.id);
    if (source === undefined || isSameStorage(source.links, pair.links)) continue;
    const current = source.links.kind === 'junction' ? undefined : currentTarget(source.links, pair);
    // The links are lost if the column that they refer to is dropped too.
    if (source.links.kind === 'column' && current === undefined) continue;
    const stored = source.links.kind === 'junction' ? source.links.table : source.links.column;
    const linksBefore = linksSql(source.links, source, stored.name);
    const archived = linksSql(source.links, pair, archivedName(stored.name, stored.id, version), current?.name);
    released.add(stored.id);
    if (pair.links.kind === 'column') {
      const { column, holder } = pair.links;
      filled.set(column.id, unlinkedCheck(linksBefore, holder, source[holder]));
    }
    actions.push(copyAction(linksBefore, archived, pair));
  }
  return { released, filled, actions };
}

function copyAction(linksBefore: string, archived: string, pair: LinkPair): PlannedAction {
  const { one, field, links } = pair;
  const [table, to] =
    links.kind === 'junction' ? [links.table.name, undefined] : [pair[links.holder].table.name, links.column.name];
  const lossSql = lostLinksSql(linksBefore, pair);
  return {
    action: { kind: 'copy_links', table, field, schema: one.name, ...(to ? { to } : {}), sql: moveSql(archived, pair) },
    schema: one.name,
    field,
    ...(lossSql ? { lossSql } : {}),
  };
}

function isSameStorage(left: StoredLinks, right: StoredLinks): boolean {
  if (left.kind === 'junction' || right.kind === 'junction') return left.kind === right.kind;
  return left.holder === right.holder;
}

/** Returns the referenced column after the change; undefined if it is dropped or converted. */
function currentTarget(
  { holder, targetColumn }: Extract<StoredLinks, { kind: 'column' }>,
  pair: LinkPair,
): LinkedColumn | undefined {
  const { columns } = pair[otherSide(holder)].table;
  return columns.find(({ id, sqlType }) => id === targetColumn.id && sqlType === targetColumn.sqlType);
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

/**
 * Renders a subquery over the keys of both sides of each link.
 *
 * @param pair provides the names of the tables and their keys.
 * @param stored name of the junction or of the column.
 */
function linksSql(links: StoredLinks, pair: LinkPair, stored: string, targetName?: string): string {
  if (links.kind === 'junction') {
    const order = links.order === undefined ? '0' : q(links.order);
    return `(SELECT ${q(links.one)} AS "one", ${q(links.other)} AS "other", ${order} AS "order" FROM ${q(stored)}) AS "links"`;
  }
  const { holder, targetColumn } = links;
  const [source, target] = [pair[holder], pair[otherSide(holder)]];
  return `(SELECT "h".${quotedKey(source)} AS "${holder}", "t".${quotedKey(target)} AS "${otherSide(holder)}", 0 AS "order"
  FROM ${q(source.table.name)} AS "h" JOIN ${q(target.table.name)} AS "t" ON "t".${q(targetName ?? targetColumn.name)} = "h".${q(stored)}) AS "links"`;
}

function moveSql(archived: string, pair: LinkPair): string {
  const { links } = pair;
  if (links.kind === 'junction') {
    const columns = `${q(links.one)}, ${q(links.other)}`;
    return `INSERT INTO ${q(links.table.name)} (${columns}) SELECT "one", "other" FROM ${archived}`;
  }
  const { holder } = links;
  const [source, target] = [pair[holder], pair[otherSide(holder)]];
  return `UPDATE ${q(source.table.name)} AS "h" SET ${q(links.column.name)} = "t".${q(links.targetColumn.name)}
  FROM ${chosen(archived, pair.type, holder)} JOIN ${q(target.table.name)} AS "t" ON "t".${quotedKey(target)} = "chosen"."${otherSide(holder)}"
  WHERE "h".${quotedKey(source)} = "chosen"."${holder}"`;
}

/** Counts the links that cannot be kept in the new storage; undefined if all can. */
function lostLinksSql(from: string, { type, links }: LinkPair): string | undefined {
  if (links.kind === 'junction') return undefined;
  const rowsWithKey = `count(*) - count(DISTINCT "${links.holder}")`;
  const source = `count(*) - count(DISTINCT "${otherSide(links.holder)}")`;
  return `SELECT ${type === 'o2o' ? `greatest(${rowsWithKey}, ${source})` : rowsWithKey} AS "count" FROM ${from}`;
}

function unlinkedCheck(from: string, side: SideName, source: LinkedSchema): DataCheck {
  const { name } = source.table;
  const rows = `FROM ${q(name)} AS "r" WHERE NOT EXISTS (SELECT 1 FROM ${from} WHERE "${side}" = "r".${quotedKey(source)})`;
  return {
    kind: 'not_null',
    words: `rows of "${name}" have no link, which the relation requires`,
    countSql: `SELECT count(*) AS "count" ${rows}`,
    examplesSql: `SELECT "r".${quotedKey(source)}::text AS "example" ${rows} LIMIT 5`,
  };
}

/** Selects one link per record: the first, or the one with the smallest key if there is no order. */
function chosen(from: string, type: RelationType, holder: SideName): string {
  const source = otherSide(holder);
  const each = `SELECT DISTINCT ON ("${holder}") "one", "other" FROM ${from} ORDER BY "${holder}", "order", "${source}"`;
  if (type !== 'o2o') return `(${each}) AS "chosen"`;
  return `(SELECT DISTINCT ON ("${source}") "one", "other" FROM (${each}) AS "each" ORDER BY "${source}", "${holder}") AS "chosen"`;
}

function otherSide(side: SideName): SideName {
  return side === 'one' ? 'other' : 'one';
}

function quotedKey({ table }: LinkedSchema): string {
  return q(table.primaryKey.columns[0] ?? 'id');
}
