import { relationKeys } from '../../model/relation-keys.js';
import { ALWAYS, ownColumn } from '../resolve/conditions.js';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PrincipalPermissions, coversResource, valuesOf } from '../../../kernel/permission-rules.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { ContentContexts } from '../content-context.service.js';
import type { PlannedRecord } from '../plan/query-plan.types.js';
import { type AccountKey, renderReferringPage } from '../render/render-erasure.js';
import { renderRecords } from '../render/render-query.js';
import { keyOf } from '../resolve/sql-values.js';
import { plannedValues } from '../write/hooks/record-changes.service.js';
import { type AccountRelation, accountRelations } from '../plan/account-relations.js';

export interface ExportedRelation {
  readonly schema: string;
  readonly field: string;
  /** False if a permission denies the user to read them. */
  readonly isOpen: boolean;
  readonly pages: () => AsyncGenerator<readonly string[]>;
}

const PAGE = 500;

/**
 * Reads an account and the records that refer to it, for its owner. No permission has to allow this, but an explicit `deny`
 * applies. No connection is kept between pages, so slow readers do not occupy the pool.
 */
@Injectable()
export class AccountRecordsExport {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contexts: ContentContexts,
  ) {}

  async account({ userId }: AccountPrincipal): Promise<string | null> {
    return this.contexts.retryOnSchemaChange(async () => {
      const { accounts } = accountRelations(this.contexts.snapshot);
      const plan = { table: accounts.table.name, where: ALWAYS, record: plannedValues(accounts) };
      const { text, parameters } = renderRecords(plan, keyOf(accounts), [userId]);
      const [row] = await this.dataSource.query<{ item: string }[]>(text, [...parameters]);
      return row?.item ?? null;
    });
  }

  async relations(account: AccountPrincipal): Promise<readonly ExportedRelation[]> {
    const { snapshot, permissions } = await this.contexts.requestContext(account);
    const { accounts, relations } = accountRelations(snapshot);
    const { userId } = account;
    return relations.map((relation) => ({
      schema: relation.target.name,
      field: relation.field.backField,
      isOpen: !isDenied(permissions, `content.${relation.target.name}.get`),
      pages: () => this.pages({ accounts, userId }, relation, plannedRecord(snapshot, relation.target)),
    }));
  }

  private async *pages(
    account: AccountKey,
    relation: AccountRelation,
    record: PlannedRecord,
  ): AsyncGenerator<readonly string[]> {
    for (let after: string | null = null; ;) {
      const { text, parameters } = renderReferringPage(account, relation, record, { after, limit: PAGE });
      const rows: { id: string; item: string }[] = await this.dataSource.query(text, [...parameters]);
      if (rows.length > 0) yield rows.map(({ item }) => item);
      after = rows.at(-1)?.id ?? null;
      if (rows.length < PAGE) return;
    }
  }
}

/** Returns true only for an explicit `deny`. A missing permission is not a denial here. */
function isDenied({ permissions }: PrincipalPermissions, resource: string): boolean {
  return permissions.some(
    (permission) => coversResource(permission, resource) && valuesOf(permission).includes('deny'),
  );
}

function plannedRecord(snapshot: SchemaSnapshot, schema: LinkedSchema): PlannedRecord {
  const { columns, ...rest } = plannedValues(schema);
  const keys = relationKeys(schema, snapshot.schemas).map(({ name, column, keyField }) => {
    return { name, operand: ownColumn(column), type: keyField.type };
  });
  return { ...rest, columns: [...columns, ...keys] };
}
