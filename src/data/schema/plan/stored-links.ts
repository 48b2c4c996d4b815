import type { RelationType } from '../../../kernel/schema-definition.types.js';
import type {
  LinkedColumn,
  LinkedRelationField,
  LinkedSchema,
  LinkedTable,
  SchemaModel,
} from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { DataCheck } from './plan.types.js';

/** Names the columns of a junction. */
interface JunctionColumns {
  readonly one: string;
  readonly other: string;
  /** Undefined where the links have no order. */
  readonly order: string | undefined;
}

/** Names the storage of a relation's links, seen from its two sides. */
export type StoredLinks =
  | (JunctionColumns & { readonly kind: 'junction'; readonly table: LinkedTable })
  | {
      readonly kind: 'column';
      /** Side that has the column. */
      readonly holder: 'one' | 'other';
      readonly column: LinkedColumn;
      /** The column of the other side that it leads to. */
      readonly targetColumn: LinkedColumn;
    };

/** A relation with both its sides. */
export interface LinkPair {
  /** Made of the ids of both fields: a relation between the same two fields is the same, however it is stored. */
  readonly id: string;
  readonly type: RelationType;
  readonly one: LinkedSchema;
  readonly other: LinkedSchema;
  /** Name of the field of `one`. */
  readonly field: string;
  readonly links: StoredLinks;
}

/** Returns the relations of some schemas of a model, each once where both its sides are among them. */
export function linkedPairs(schemas: readonly LinkedSchema[], model: SchemaModel): readonly LinkPair[] {
  const pairs: LinkPair[] = [];
  for (const one of schemas) {
    for (const field of Object.values(one.fields)) {
      const other = field.kind === 'relation' ? model.schemas[field.target] : undefined;
      const back = field.kind === 'relation' ? other?.fields[field.backField] : undefined;
      // Each relation is seen from both its fields; the one with the smaller id speaks for it.
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

/** The names under which links are found at a certain moment. */
export type LinkNames =
  | (JunctionColumns & { readonly kind: 'junction'; readonly table: string })
  | {
      readonly kind: 'column';
      /** Side that has the column. */
      readonly holder: 'one' | 'other';
      readonly table: string;
      readonly key: string;
      readonly column: string;
      readonly target: string;
      readonly targetKey: string;
      /** The column of the target that the column leads to. */
      readonly targetColumn: string;
    };

/** Returns the statement that writes the links to where they are kept from now on. */
export function moveSql(from: LinkNames, pair: LinkPair): string {
  const { links } = pair;
  if (links.kind === 'junction') {
    const columns = `${q(links.one)}, ${q(links.other)}`;
    return `INSERT INTO ${q(links.table.name)} (${columns}) SELECT "one", "other" FROM ${pairs(from)}`;
  }
  const { holder } = links;
  const [held, target] = holder === 'one' ? [pair.one, pair.other] : [pair.other, pair.one];
  return `UPDATE ${q(held.table.name)} AS "h" SET ${q(links.column.name)} = "t".${q(links.targetColumn.name)}
  FROM ${chosen(from, pair.type, holder)} JOIN ${q(target.table.name)} AS "t" ON "t".${keyOf(target)} = "chosen"."${otherSide(holder)}"
  WHERE "h".${keyOf(held)} = "chosen"."${holder}"`;
}

/** Counts the links that have no place where they are kept from now on; `undefined` where every link has one. */
export function lostLinksSql(from: LinkNames, { type, links }: LinkPair): string | undefined {
  if (links.kind === 'junction') return undefined;
  const holding = `count(*) - count(DISTINCT "${links.holder}")`;
  const held = `count(*) - count(DISTINCT "${otherSide(links.holder)}")`;
  return `SELECT ${type === 'o2o' ? `greatest(${holding}, ${held})` : holding} AS "count" FROM ${pairs(from)}`;
}

/** Asks for records of a side that have no link, which a required relation needs. */
export function unlinkedCheck(from: LinkNames, side: 'one' | 'other', held: LinkedSchema): DataCheck {
  const { name } = held.table;
  const rows = `FROM ${q(name)} AS "r" WHERE NOT EXISTS (SELECT 1 FROM ${pairs(from)} WHERE "${side}" = "r".${keyOf(held)})`;
  return {
    kind: 'not_null',
    words: `rows of "${name}" have no link, which the relation requires`,
    countSql: `SELECT count(*) AS "count" ${rows}`,
    examplesSql: `SELECT "r".${keyOf(held)}::text AS "example" ${rows} LIMIT 5`,
  };
}

/** Returns the links as pairs of keys, and what their order goes by. */
function pairs(from: LinkNames): string {
  if (from.kind === 'junction') {
    const order = from.order === undefined ? '0' : q(from.order);
    return `(SELECT ${q(from.one)} AS "one", ${q(from.other)} AS "other", ${order} AS "order" FROM ${q(from.table)}) AS "links"`;
  }
  return `(SELECT "h".${q(from.key)} AS "${from.holder}", "t".${q(from.targetKey)} AS "${otherSide(from.holder)}", 0 AS "order"
  FROM ${q(from.table)} AS "h" JOIN ${q(from.target)} AS "t" ON "t".${q(from.targetColumn)} = "h".${q(from.column)}) AS "links"`;
}

/** Returns the SQL that chooses of several links of one record the first, or the one with the smallest key if they have no order. */
function chosen(from: LinkNames, type: RelationType, holder: 'one' | 'other'): string {
  const held = otherSide(holder);
  const each = `SELECT DISTINCT ON ("${holder}") "one", "other" FROM ${pairs(from)} ORDER BY "${holder}", "order", "${held}"`;
  if (type !== 'o2o') return `(${each}) AS "chosen"`;
  return `(SELECT DISTINCT ON ("${held}") "one", "other" FROM (${each}) AS "each" ORDER BY "${held}", "${holder}") AS "chosen"`;
}

function otherSide(side: 'one' | 'other'): 'one' | 'other' {
  return side === 'one' ? 'other' : 'one';
}

function keyOf({ table }: LinkedSchema): string {
  return q(table.primaryKey.columns[0] ?? 'id');
}
