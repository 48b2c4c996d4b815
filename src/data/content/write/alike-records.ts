import { AppError } from '../../../kernel/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { RowGuard } from '../plan/write-plan.types.js';
import { renderUpdateAll } from '../render/render-write.js';
import { keyOf } from '../resolve/key-of.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { RecordWrite, WrittenValue } from '../resolve/writes/write.types.js';
import { run } from './in-transaction.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Values by column. */
export type Values = ReadonlyMap<string, WrittenValue>;

/** Records of the same columns, of which the same rule must hold. */
interface Alike<Row> {
  readonly write: RecordWrite;
  readonly rows: Row[];
}

/**
 * Groups records that one statement can write, in the order in which they come. Those that the database numbers are numbered in
 * that order, so that only neighbours are of one group.
 */
export function groupsOf<Row extends { readonly write: RecordWrite; readonly values: Values }>(
  rows: readonly Row[],
): readonly Alike<Row>[] {
  const groups: Alike<Row>[] = [];
  const isNumbered = rows[0]?.write.schema.table.columns.some(({ identity }) => identity) ?? false;
  const known = new Map<Condition, Map<string, Alike<Row>>>();
  let last: Alike<Row> | undefined;
  let [names, columns] = [[] as readonly string[], '[]'];
  for (const row of rows) {
    const { write, values } = row;
    if (!isOf(values, names)) {
      names = [...values.keys()];
      columns = JSON.stringify(names.toSorted());
    }
    const ofRule = known.get(write.rule) ?? new Map<string, Alike<Row>>();
    known.set(write.rule, ofRule);
    const found = ofRule.get(columns);
    const group: Alike<Row> = found !== undefined && (!isNumbered || found === last) ? found : { write, rows: [] };
    if (group !== found) groups.push(group);
    ofRule.set(columns, group);
    group.rows.push(row);
    last = group;
  }
  return groups;
}

/** Returns whether values are of these columns, in this order, as those of neighbours mostly are. */
function isOf(values: Values, names: readonly string[]): boolean {
  if (values.size !== names.length) return false;
  let at = 0;
  for (const name of values.keys()) if (name !== names[at++]) return false;
  return true;
}

/** Returns the columns of references to records that are there. */
export function heldKeys({ references }: RecordWrite): readonly (readonly [string, WrittenValue])[] {
  return references.flatMap(({ column, ref, target }) =>
    ref?.kind === 'new' ? [] : [[column, { value: ref?.value ?? null, sqlType: keyOf(target).sqlType }] as const],
  );
}

/** Changes the same columns of records, each by its key. */
export async function updateAll(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  rows: readonly { readonly id: unknown; readonly values: Values }[],
  guard: RowGuard | null,
): Promise<void> {
  const changed = await run(transaction, renderUpdateAll(schema.table.name, rows, keyOf(schema), guard));
  if (changed.length < rows.length) throw new AppError('permission_denied');
}
