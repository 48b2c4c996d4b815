import { type MigrationInterface, QueryFailedError, type QueryRunner } from 'typeorm';
import { isDatabaseUnavailable, readDriverFault } from '../database-faults.js';

/** SQLSTATEs of a name that is taken: of a schema, a table, another object (PostgreSQL Appendix A). */
const TAKEN = new Set(['42P06', '42P07', '42710']);
/** SQLSTATE of a missing permission. The start reports it separately. */
const INSUFFICIENT_PRIVILEGE = '42501';

export class MigrationError extends Error {
  constructor(name: string, cause: QueryFailedError) {
    super(describe(name, cause), { cause });
    this.name = 'MigrationError';
  }
}

export function namedMigration(migration: MigrationInterface): void {
  const name = migration.name ?? migration.constructor.name;
  for (const direction of ['up', 'down'] as const) {
    const run = migration[direction].bind(migration);
    migration[direction] = (runner: QueryRunner) =>
      run(runner).catch((error: unknown) => {
        throw isOfStatement(error) ? new MigrationError(name, error) : error;
      });
  }
}

function isOfStatement(error: unknown): error is QueryFailedError {
  if (!(error instanceof QueryFailedError) || isDatabaseUnavailable(error)) return false;
  return readDriverFault(error)?.code !== INSUFFICIENT_PRIVILEGE;
}

function describe(name: string, cause: QueryFailedError): string {
  const fault = readDriverFault(cause);
  const advice = TAKEN.has(fault?.code ?? '') ? ' Set DATABASE_SCHEMA to a PostgreSQL schema of its own.' : '';
  return `The migration ${name} fails${place(cause)}: ${fault?.message ?? cause.message}. Nothing of it is applied.${advice}`;
}

function place({ query, driverError }: QueryFailedError): string {
  const position = Number((driverError as { position?: string }).position ?? 0);
  if (!(position > 0)) return '';
  const lines = [...query].slice(0, position).join('').split('\n');
  return ` at line ${lines.length}, column ${lines.at(-1)?.length ?? 0} of a statement`;
}
