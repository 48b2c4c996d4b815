import { quoteIdentifier as q } from '../../model/sql-identifier.js';
import type { RelationType } from '../../model/schema-definition.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { DataCheck } from './plan.types.js';
import type { LinkPair } from './stored-links.js';

/** The names under which links are found at a certain moment. */
export type LinkNames =
  | { readonly kind: 'junction'; readonly table: string; readonly one: string; readonly other: string }
  | {
      readonly kind: 'column';
      /** Which side has the column. */
      readonly holder: 'one' | 'other';
      readonly table: string;
      readonly key: string;
      readonly column: string;
      readonly target: string;
      readonly targetKey: string;
      /** The column of the target that the column leads to. */
      readonly targetColumn: string;
    };

/** The statement that writes the links to where they are kept from now on. */
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

/** The links as pairs of keys. */
function pairs(from: LinkNames): string {
  if (from.kind === 'junction') {
    return `(SELECT ${q(from.one)} AS "one", ${q(from.other)} AS "other" FROM ${q(from.table)}) AS "links"`;
  }
  return `(SELECT "h".${q(from.key)} AS "${from.holder}", "t".${q(from.targetKey)} AS "${otherSide(from.holder)}"
  FROM ${q(from.table)} AS "h" JOIN ${q(from.target)} AS "t" ON "t".${q(from.targetColumn)} = "h".${q(from.column)}) AS "links"`;
}

/** Of several links of one record the one with the smallest key. */
function chosen(from: LinkNames, type: RelationType, holder: 'one' | 'other'): string {
  const held = otherSide(holder);
  const each = `SELECT DISTINCT ON ("${holder}") "one", "other" FROM ${pairs(from)} ORDER BY "${holder}", "${held}"`;
  if (type !== 'o2o') return `(${each}) AS "chosen"`;
  return `(SELECT DISTINCT ON ("${held}") "one", "other" FROM (${each}) AS "each" ORDER BY "${held}", "${holder}") AS "chosen"`;
}

function otherSide(side: 'one' | 'other'): 'one' | 'other' {
  return side === 'one' ? 'other' : 'one';
}

function keyOf({ table }: LinkedSchema): string {
  return q(table.primaryKey.columns[0] ?? 'id');
}
