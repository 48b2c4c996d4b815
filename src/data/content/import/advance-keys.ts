import type { LinkedSchema } from '../../model/schema-model.types.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import { run } from '../write/in-transaction.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';

/** Moves identity sequences beyond the written values. Sequences are not transactional and are never set back. */
export async function advanceKeys(transaction: WriteTransaction, { table, fields }: LinkedSchema): Promise<void> {
  const name = quoteIdentifier(table.name);
  for (const field of Object.values(fields)) {
    if (field.kind !== 'value' || field.generated !== 'increment') continue;
    const text = `SELECT setval(counter, most) FROM (
      SELECT pg_get_serial_sequence($1, $2)::regclass AS counter, max(${quoteIdentifier(field.column)}) AS most FROM ${name}
    ) AS found WHERE most > coalesce(pg_sequence_last_value(counter), 0)`;
    await run(transaction, { text, parameters: [name, field.column] });
  }
}
