import type { EntityManager } from 'typeorm';
import { AppError } from '../../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { renderAmong } from '../../render/render-write.js';
import { type KeyColumn, keyOf } from '../../resolve/keys.js';
import { ALWAYS, type Condition } from '../../resolve/conditions.js';
import { FileQuotaChecks } from './file-quota-checks.js';

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
