import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UsersService } from '../../../identity/users/users.service.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import type { ErasureAction } from '../../../kernel/schema-definition.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { ContentContexts } from '../content-context.service.js';
import { deletionRules } from '../plan/deletion-rules.js';
import {
  type AccountKey,
  type CountedRelation,
  type ErasedRecords,
  renderErasure,
  renderReferenceCounts,
  renderReferringKeys,
  renderReferenceUpdate,
} from '../render/render-erasure.js';
import { renderUpdate } from '../render/render-write.js';
import { keyOf } from '../resolve/sql-values.js';
import { inTransaction, run, type WriteTransaction } from '../write/transaction/in-transaction.js';
import { emptyWrite, RecordChanges } from '../write/hooks/record-changes.service.js';
import { RecordRemover } from '../write/deletion/record-remover.service.js';
import {
  type AccountRelation,
  accountRelations,
  isForeignKeyRelation,
  type ForeignKeyRelation,
} from '../plan/account-relations.js';

type CountedReferences = AccountRelation & { readonly count: number };

export interface ErasedRelation {
  readonly schema: string;
  readonly field: string;
  readonly action: ErasureAction;
  readonly count: number;
}

interface Eraser {
  readonly account: AccountPrincipal;
  readonly origin: RequestOrigin;
}

const BATCH = 500;

/**
 * Erases accounts and applies `on_erase` to the records that refer to them (ADR 0057): the records are deleted permanently, or the
 * reference is cleared or changed to a placeholder account. Write permissions are not checked, because erasure is a right of the user.
 */
@Injectable()
export class AccountErasure {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly records: RecordChanges,
    private readonly remover: RecordRemover,
    private readonly users: UsersService,
  ) {}

  /**
   * Erases a locked account in the caller's transaction and returns the affected relations.
   *
   * @throws AppError `record_in_use` if records of other users restrict a deletion; `last_root_account`; errors of hooks.
   */
  async erase(manager: EntityManager, { account, origin }: Eraser): Promise<readonly ErasedRelation[]> {
    return this.contexts.retryOnSchemaChange(async () => {
      const context = { ...(await this.contexts.open(account)), origin };
      const scope = { isDelete: true, request: {}, within: manager };
      return inTransaction(this.changes, context, scope, async (transaction) => {
        const { accounts } = accountRelations(context.snapshot);
        const { userId } = account;
        const key = { accounts, userId };
        const deleted = (await this.countReferences(transaction, key)).filter(({ action }) => action === 'delete');
        await this.deleteReferring(transaction, key, deleted.filter(isForeignKeyRelation));
        const remaining = await this.countReferences(transaction, key);
        await this.replaceReferences(transaction, key, remaining);
        await this.remover.remove(transaction, accounts, [userId]);
        return [...deleted, ...remaining].map(erasedRelationOf);
      });
    });
  }

  private async countReferences(transaction: WriteTransaction, key: AccountKey): Promise<readonly CountedReferences[]> {
    const { relations } = accountRelations(transaction.context.snapshot);
    if (relations.length === 0) return [];
    const counts = await run<CountedRelation>(transaction, renderReferenceCounts(key, relations));
    return counts.flatMap(({ index, count }) => {
      const relation = relations[index];
      return relation === undefined || count === 0 ? [] : [{ ...relation, count }];
    });
  }

  /** Deletes the records with `on_erase: delete`. Records with hooks or subscribers are deleted by key, because these receive the keys. */
  private async deleteReferring(
    transaction: WriteTransaction,
    key: AccountKey,
    deleted: readonly ForeignKeyRelation[],
  ): Promise<void> {
    const { snapshot } = transaction.context;
    if (deleted.length === 0) return;
    const hasSubscribers = ({ target }: ForeignKeyRelation): boolean =>
      deletionRules(snapshot, target, this.records).reachesSubscribers;
    const roots = [];
    for (const relation of deleted.filter(hasSubscribers)) {
      const rows = await run<{ id: string }>(transaction, renderReferringKeys(key, relation, null));
      roots.push({ schema: relation.target, ids: rows.map(({ id }) => id) });
    }
    const withoutSubscribers = groupedByTarget(deleted.filter((relation) => !hasSubscribers(relation)));
    await this.remover.erase(transaction, roots, (groups) =>
      renderErasure(key, [...groups.map(({ schema, ids: by }) => ({ schema, by })), ...withoutSubscribers]),
    );
  }

  private async replaceReferences(
    transaction: WriteTransaction,
    from: AccountKey,
    remaining: readonly CountedReferences[],
  ): Promise<void> {
    const keepsReferences = remaining.some(({ action }) => action === 'keep');
    const placeholder = keepsReferences ? await this.users.createPlaceholder(transaction.manager) : null;
    for (const relation of remaining) {
      const to = relation.action === 'keep' ? placeholder : null;
      if (isForeignKeyRelation(relation) && this.records.hasSubscribers(relation.target, 'update'))
        await this.replaceWithHooks(transaction, relation, from, to);
      else await run(transaction, renderReferenceUpdate(from, relation, { to }));
    }
  }

  private async replaceWithHooks(
    transaction: WriteTransaction,
    relation: ForeignKeyRelation,
    from: AccountKey,
    to: string | null,
  ): Promise<void> {
    const { target: schema, field } = relation;
    for (;;) {
      const rows = await run<{ id: string }>(transaction, renderReferringKeys(from, relation, BATCH));
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => id);
      const writes = ids.map((id) => ({ id, write: emptyWrite([field.backField]) }));
      const hookRun = await this.records.runBefore(transaction, { schema, operation: 'update', records: () => writes });
      await run(transaction, renderReferenceUpdate(from, relation, { to, ids }));
      for (const { id, write } of writes)
        if (write.values.size > 0)
          await run(transaction, renderUpdate(schema.table.name, [{ id, values: write.values }], keyOf(schema)));
      await this.records.runAfter(transaction, hookRun, ids);
    }
  }
}

export function erasedRelationOf({ target, field, action, count }: CountedReferences): ErasedRelation {
  return { schema: target.name, field: field.backField, action, count };
}

function groupedByTarget(relations: readonly ForeignKeyRelation[]): readonly ErasedRecords[] {
  const joins = new Map<ForeignKeyRelation['target'], ForeignKeyRelation['join'][]>();
  for (const { target, join } of relations) joins.set(target, [...(joins.get(target) ?? []), join]);
  return [...joins].map(([schema, by]) => ({ schema, by }));
}
