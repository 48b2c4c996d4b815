import type { EntityManager } from 'typeorm';
import type { ChangeNotifier, Notify } from '../../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { ALLOW_LONG_STATEMENTS } from '../../../../platform/database/database.public.js';
import type { ContentContext } from '../../content-context.service.js';
import type { SqlStatement } from '../../render/sql-writer.js';
import { toContentFault } from '../content-faults.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { renderAmong } from '../../render/render-write.js';
import { ALWAYS, type Condition } from '../../resolve/conditions.js';
import { type KeyColumn, keyOf } from '../../resolve/sql-values.js';
import { FileQuotaChecks } from './file-quota-checks.js';

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

interface RuleCheck {
  readonly table: string;
  readonly key: KeyColumn;
  readonly rule: Condition;
  readonly ids: Set<string>;
}

/** Checks rules on the records of a write after all statements. Records with the same rule are checked by one statement. */
export class WriteRuleChecks {
  readonly fileQuotas = new FileQuotaChecks();
  private readonly pending: RuleCheck[] = [];

  constructor(private readonly manager: EntityManager) {}

  /**
   * Checks records in their current state.
   *
   * @param key column of the keys; the primary key by default.
   * @throws AppError `permission_denied` unless all records match the rule.
   */
  async now(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key = keyOf(schema)): Promise<void> {
    await this.check({ table: schema.table.name, key, rule, ids: new Set(ids.map(String)) });
  }

  later(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key = keyOf(schema)): void {
    const table = schema.table.name;
    const sameRule = this.pending.find(
      (check) => check.rule === rule && check.table === table && check.key.column === key.column,
    );
    if (sameRule === undefined) this.pending.push({ table, key, rule, ids: new Set(ids.map(String)) });
    else for (const id of ids) sameRule.ids.add(String(id));
  }

  merge({ pending, fileQuotas }: WriteRuleChecks): void {
    this.pending.push(...pending);
    this.fileQuotas.merge(fileQuotas);
  }

  /** Runs the scheduled checks. Throws `permission_denied`, `quota_exceeded`. */
  async settle(): Promise<void> {
    for (const check of this.pending.splice(0)) await this.check(check);
    await this.fileQuotas.settle(this.manager);
  }

  private async check({ table, key, rule, ids }: RuleCheck): Promise<void> {
    if (rule === ALWAYS || ids.size === 0) return;
    const { text, parameters } = renderAmong(table, key, [...ids], rule, 'SHARE');
    const found = await this.manager.query<{ id: string }[]>(text, [...parameters]);
    const matching = new Set(found.map(({ id }) => id));
    if ([...ids].some((id) => !matching.has(id))) throw new AppError('permission_denied');
  }
}
