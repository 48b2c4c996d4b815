import { Injectable } from '@nestjs/common';
import { traced } from '../../../platform/tracing/tracing.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import type { PlanStep, SchemaPlan, StatementRunner } from '../plan/plan.types.js';

/** Tables of this size get their indexes without blocking writes. */
const LARGE_TABLE_BYTES = 8 * 1024 * 1024;

@Injectable()
export class PlanRunner {
  /** Returns the statements to run after the commit. */
  async run(runner: StatementRunner, plan: SchemaPlan): Promise<readonly string[]> {
    const pending: string[] = [];
    for (const step of plan.steps) {
      if (step.phase === 'post_commit') pending.push(...step.sql);
      else if (await isBuiltLater(runner, step)) pending.push(...(step.concurrentSql ?? []));
      else await this.runStep(runner, step);
    }
    return pending;
  }

  async runStep(runner: StatementRunner, step: PlanStep): Promise<void> {
    await traced('schema step', { attributes: { 'lintel.schema.step': step.kind } }, async () => {
      for (const statement of step.sql) await runner.query(statement);
    });
  }

  /** Throws `undo_impossible` if an object to restore has been purged. */
  async assertKept(runner: StatementRunner, plan: SchemaPlan): Promise<void> {
    const restoring = plan.steps.flatMap((step) => (step.restores === undefined ? [] : [step]));
    if (restoring.length === 0) return;
    const rows = await runner.query<{ name: string }[]>('SELECT name FROM schema_leftovers WHERE name = ANY($1)', [
      restoring.map(({ restores }) => restores),
    ]);
    const existing = new Set(rows.map(({ name }) => name));
    const gone = restoring.filter(({ restores }) => !existing.has(restores ?? ''));
    if (gone.length === 0) return;
    const message = 'The data that the last change dropped has been purged and cannot be restored.';
    throw new AppError('undo_impossible', { message, details: { steps: gone.map(({ words }) => ({ words })) } });
  }

  /** Locks the tables that lose data against writes, so that the data checks stay true until the commit. */
  async lockDropped(runner: StatementRunner, plan: SchemaPlan): Promise<void> {
    const tables = new Set(plan.steps.filter((step) => step.archived !== undefined).map(({ table }) => table));
    for (const table of tables) await runner.query(`LOCK TABLE ${quoteIdentifier(table)} IN SHARE ROW EXCLUSIVE MODE`);
  }

  async recordArchived(runner: StatementRunner, plan: SchemaPlan, version: number, now: Date): Promise<void> {
    for (const { archived, restores } of plan.steps) {
      if (restores !== undefined) await runner.query('DELETE FROM schema_leftovers WHERE name = $1', [restores]);
      if (archived === undefined) continue;
      const { table, column } = archived;
      await runner.query('INSERT INTO schema_leftovers (name, kind, version, dropped_at) VALUES ($1, $2, $3, $4)', [
        column ?? table,
        column === undefined ? 'table' : 'column',
        version,
        now,
      ]);
    }
  }
}

/** A unique index is a constraint and must be built in the transaction. Others can be built later on large tables. */
async function isBuiltLater(runner: StatementRunner, step: PlanStep): Promise<boolean> {
  const [statement] = step.concurrentSql ?? [];
  if (statement === undefined || statement.startsWith('CREATE UNIQUE')) return false;
  const [row] = await runner.query<{ bytes: string | null }[]>('SELECT pg_table_size(to_regclass($1)) AS bytes', [
    quoteIdentifier(step.table),
  ]);
  return Number(row?.bytes ?? 0) >= LARGE_TABLE_BYTES;
}
