import type { EntityManager } from 'typeorm';
import type { ChangeNotifier, Notify } from '../../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { ALLOW_LONG_STATEMENTS } from '../../../../platform/database/database.public.js';
import type { ContentContext } from '../../content-context.service.js';
import type { SqlStatement } from '../../render/sql-writer.js';
import { toContentFault } from '../content-faults.js';
import { WriteRuleChecks } from './write-rule-checks.js';

export interface WriteTransaction {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly context: ContentContext;
  readonly ruleChecks: WriteRuleChecks;
  readonly request: object;
  /** Tables whose linked rows were locked before the write. Rows that are linked later are not waited for. */
  readonly lockedTables: Set<string>;
}

export interface LockedRecord {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Changes with every update of the row. */
  readonly version: string;
}

interface WriteScope {
  readonly isDelete: boolean;
  /** Identity of the request in the events of its writes. */
  readonly request: object;
  /** Transaction to join. Its timeouts are those of the caller. */
  readonly within?: EntityManager | undefined;
}

/** Runs a write request in one transaction, checks the rules at the end, and maps database errors to API errors. */
export async function inTransaction<T>(
  changes: ChangeNotifier,
  context: ContentContext,
  { isDelete, request, within }: WriteScope,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await changes.transaction(async (manager, notify) => {
      if (within === undefined) await manager.query(ALLOW_LONG_STATEMENTS);
      const ruleChecks = new WriteRuleChecks(manager);
      const result = await work({ manager, notify, context, ruleChecks, request, lockedTables: new Set() });
      await ruleChecks.settle();
      return result;
    }, within);
  } catch (error) {
    throw toContentFault(error, context, isDelete);
  }
}

/**
 * Tries bulk work in a savepoint. Returns null and rolls back on an error. The caller then runs the work one by one to locate the error.
 */
export async function attempt<T>(
  transaction: WriteTransaction,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T | null> {
  const { manager, context, ruleChecks } = transaction;
  const own = new WriteRuleChecks(manager);
  // A rollback to the savepoint releases the locks taken after it.
  const lockedTables = new Set(transaction.lockedTables);
  const result = await inSavepoint<T | null>(
    transaction,
    () => work({ ...transaction, ruleChecks: own, lockedTables }),
    (error) => {
      const fault = toContentFault(error, context, false);
      if (!(fault instanceof AppError) || fault.code === 'server_busy') throw error;
      return null;
    },
  );
  if (result === null) return null;
  ruleChecks.merge(own);
  for (const table of lockedTables) transaction.lockedTables.add(table);
  return result;
}

export async function inSavepoint<T>(
  { manager }: WriteTransaction,
  work: () => Promise<T>,
  otherwise: (error: unknown) => T | Promise<T>,
): Promise<T> {
  await manager.query('SAVEPOINT attempt');
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await manager.query('ROLLBACK TO SAVEPOINT attempt').catch(() => {
      throw error;
    });
    result = await otherwise(error);
  }
  await manager.query('RELEASE SAVEPOINT attempt');
  return result;
}

export function run<Row>({ manager }: WriteTransaction, { text, parameters }: SqlStatement): Promise<Row[]> {
  return manager.query<Row[]>(text, [...parameters]);
}
