import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type AccountDataRequest, OnAccountExport } from '../../identity/life/account-data.decorators.js';
import { accountActor } from '../../platform/audit/audit.public.js';

interface EventRow {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly resource: string;
  readonly outcome: string;
  readonly address: string | null;
  readonly fields: readonly string[];
}

const PAGE = 500;
const COLUMNS = 'id, at, action, resource, outcome, array(SELECT jsonb_object_keys(changes)) AS fields';
const AFTER = `($2::timestamptz IS NULL OR (at, id) > ($2, $3::uuid)) ORDER BY at, id LIMIT ${PAGE}`;
const BY_ACCOUNT = `SELECT ${COLUMNS}, address FROM audit_events WHERE actor = $1 AND ${AFTER}`;
/** Events of other actors: their identity and address are not exported. */
const TO_ACCOUNT = `SELECT ${COLUMNS}, NULL AS address FROM audit_events WHERE resource = $1 AND actor <> $4 AND ${AFTER}`;

@Injectable()
export class AccountAuditExport {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns the events by the account, then those by others on it. Changed fields are named without their values. */
  @OnAccountExport('audit')
  async *export({ userId }: AccountDataRequest): AsyncGenerator<object> {
    const actor = accountActor(userId);
    yield* this.read(BY_ACCOUNT, actor, [], 'you');
    yield* this.read(TO_ACCOUNT, `user:${userId}`, [actor], 'others');
  }

  private async *read(text: string, of: string, more: readonly string[], by: string): AsyncGenerator<object> {
    for (let last: EventRow | undefined; ;) {
      const values = [of, last?.at ?? null, last?.id ?? null, ...more];
      const rows: EventRow[] = await this.dataSource.query(text, values);
      for (const { at, action, resource, outcome, address, fields } of rows)
        yield { at, by, action, resource, outcome, address, fields };
      last = rows.at(-1);
      if (rows.length < PAGE) return;
    }
  }
}
