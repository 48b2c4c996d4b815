import { Injectable } from '@nestjs/common';
import type { PlanStep, SchemaPlan } from '../plan/plan.types.js';
import { quoteIdentifier } from '../model/sql-identifier.js';
import type { StatementRunner } from './statement-runner.types.js';

/** From this size on, an index is built without stopping writes. */
const LARGE_TABLE_BYTES = 8 * 1024 * 1024;

/** Takes the steps of a plan inside a transaction: all of them or, with its rollback, none. */
@Injectable()
export class PlanRunner {
  /** Runs the statements and answers those that are due after the commit. */
  async run(runner: StatementRunner, plan: SchemaPlan): Promise<readonly string[]> {
    const pending: string[] = [];
    for (const step of plan.steps) {
      if (step.phase === 'afterwards') pending.push(...step.sql);
      else if (await isBuiltLater(runner, step)) pending.push(...(step.concurrentSql ?? []));
      else await this.take(runner, step);
    }
    return pending;
  }

  /** Runs the statements of one step. */
  async take(runner: StatementRunner, step: PlanStep): Promise<void> {
    for (const statement of step.sql) await runner.query(statement);
  }

  /** Notes what the plan has set aside, for the sweeper. */
  async noteLeftovers(runner: StatementRunner, plan: SchemaPlan, version: number, now: Date): Promise<void> {
    for (const { aside } of plan.steps) {
      if (aside === undefined) continue;
      const { table, column } = aside;
      await runner.query('INSERT INTO schema_leftovers (name, kind, version, dropped_at) VALUES ($1, $2, $3, $4)', [
        column ?? table,
        column === undefined ? 'table' : 'column',
        version,
        now,
      ]);
    }
  }
}

/** A unique index is a promise and is built at once; any other may follow, where the table is large. */
async function isBuiltLater(runner: StatementRunner, step: PlanStep): Promise<boolean> {
  const [statement] = step.concurrentSql ?? [];
  if (statement === undefined || statement.startsWith('CREATE UNIQUE')) return false;
  const [row] = await runner.query<{ bytes: string | null }[]>('SELECT pg_table_size(to_regclass($1)) AS bytes', [
    quoteIdentifier(step.table),
  ]);
  return Number(row?.bytes ?? 0) >= LARGE_TABLE_BYTES;
}
