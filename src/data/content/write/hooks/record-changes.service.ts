import { ALWAYS, ownColumn } from '../../resolve/conditions.js';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
  RecordEvent,
  RecordOperation,
  RecordValues,
  WriteScope,
} from '../../../../identity/records/record-event.types.js';
import { AuditTrail } from '../../../../platform/audit/audit-trail.service.js';
import { afterCommit } from '../../../../platform/database/database.public.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import type { ContentContext } from '../../content-context.service.js';
import type { RecordSubscriptions } from '../../plan/deletion-rules.js';
import type { PlannedRecord } from '../../plan/query-plan.types.js';
import { renderRecords } from '../../render/render-query.js';
import { keyOf, type WrittenValue } from '../../resolve/sql-values.js';
import { isWritable, isEverWritable } from '../../resolve/content-access.js';
import { WriteFaults } from '../../resolve/writes/write-faults.js';
import type { RecordWrite } from '../../resolve/writes/record-write.js';
import { applyHidden, applyValues, valuesOf, type WrittenBody, writtenBodies } from './hooked-values.js';
import { run, type WriteTransaction } from '../transaction/in-transaction.js';
import { recordedEvent, type HooksOf, type RecordHook, RecordHooks } from './record-hooks.service.js';

export interface ChangingRecord {
  readonly id: string | null;
  /** Null for a new record. If omitted, it is read when a hook or the audit log needs it. */
  readonly before?: RecordValues | null;
  readonly write: Pick<RecordWrite, 'values' | 'inputValues' | 'hidden' | 'names'>;
}

interface HookedRecord extends ChangingRecord {
  readonly before: RecordValues | null;
  written?: RecordValues;
}

export interface RecordChange {
  readonly schema: LinkedSchema;
  readonly operation: RecordOperation;
  /** Called only if the operation has hooks or listeners. */
  readonly records: () => readonly ChangingRecord[];
}

/** State between the hooks before and after a write. */
export interface HookRun {
  readonly schema: LinkedSchema;
  readonly operation: RecordOperation;
  readonly hooks: HooksOf;
  readonly records: readonly HookedRecord[];
}

/**
 * Central place for record changes. Every write of a record passes here, and hooks run once per record. Schemas without hooks and listeners
 * are skipped.
 */
@Injectable()
export class RecordChanges implements OnApplicationShutdown, RecordSubscriptions {
  private readonly logger = new Logger('RecordHooks');
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly hooks: RecordHooks,
    private readonly audit: AuditTrail,
    private readonly dataSource: DataSource,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Returns true if the operation has hooks, or if the audit log records it. */
  hasSubscribers(schema: LinkedSchema, operation: RecordOperation): boolean {
    return this.hooks.hasSubscribers(schema, operation);
  }

  /** Runs the `prepare` hooks of a request. Returns an object that identifies the request in all its events. */
  async prepare(context: ContentContext, bodies: readonly WrittenBody[]): Promise<object> {
    const request = {};
    const { snapshot, access } = context;
    const prepared = this.hooks
      .preparing(snapshot)
      .filter(({ schema }) => isWritable(schema, 'create', access) || isWritable(schema, 'update', access));
    if (prepared.length === 0) return request;
    const found = writtenBodies(context, bodies);
    for (const { schema, hooks } of prepared) {
      const records = found
        .filter((one) => one.schema === schema)
        .map(({ body }) =>
          Object.fromEntries(Object.entries(body).filter(([name]) => isEverWritable(schema, name, access))),
        );
      const event: PrepareWriteEvent = { ...scopeOf(schema, context, request), records };
      if (records.length > 0) for (const hook of hooks) await hook.run(event as never);
    }
    return request;
  }

  async withHooks(
    transaction: WriteTransaction,
    change: RecordChange,
    work: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const hookRun = await this.runBefore(transaction, change);
    const ids = await work();
    await this.runAfter(transaction, hookRun, ids);
    return ids;
  }

  /**
   * Runs the hooks before a write. Returns null if there are none.
   *
   * @throws AppError `field_invalid` for invalid values set by hooks; any error thrown by a hook.
   */
  async runBefore(
    transaction: WriteTransaction,
    { schema, operation, records }: RecordChange,
  ): Promise<HookRun | null> {
    const hooks = this.hooks.of(schema, operation);
    if (hooks === null) return null;
    const hookedRecords = this.needsValues(schema, hooks)
      ? await withBefore(transaction, schema, records())
      : records().map((record) => ({ ...record, before: record.before ?? null }));
    const hookRun: HookRun = { schema, operation, hooks, records: hookedRecords };
    for (const record of hookRun.records) await before(transaction, hookRun, record);
    return hookRun;
  }

  async runAfter(transaction: WriteTransaction, hookRun: HookRun | null, ids: readonly string[]): Promise<void> {
    if (hookRun === null) return;
    const { schema, operation, hooks, records } = hookRun;
    const isRead = operation !== 'delete' && this.needsValues(schema, hooks);
    const after = isRead ? await ownValues(transaction, schema, ids) : new Map<string, RecordValues>();
    const events = records.map((record, at): AfterWriteEvent => {
      const id = record.id ?? ids[at] ?? '';
      const written = record.written ?? {};
      return { ...eventOf(transaction, hookRun, record), id, after: after.get(id) ?? null, written };
    });
    await this.recordEvents(transaction, schema, events);
    for (const event of events) for (const hook of hooks.after) await hook.run(event as never);
    if (hooks.commit.length === 0) return;
    afterCommit(transaction.manager, () => {
      const running = this.runAfterHooks(hooks.commit, events).finally(() => this.running.delete(running));
      this.running.add(running);
    });
  }

  private needsValues({ definition }: LinkedSchema, { before: first, after, commit }: HooksOf): boolean {
    return first.length + after.length + commit.length > 0 || (this.audit.isOn && definition.audit === 'values');
  }

  private async recordEvents(
    { manager, context }: WriteTransaction,
    schema: LinkedSchema,
    events: readonly AfterWriteEvent[],
  ): Promise<void> {
    if (!schema.system && schema.definition.audit === undefined) return;
    const recorded = events.map(({ operation, id, named, before: was, after, written }) => {
      const names = new Set([...named, ...Object.keys(written)]);
      return recordedEvent({ schema, operation, id, names, before: was, after }, context);
    });
    await this.audit.write(manager, ...recorded);
  }

  /** Runs commit hooks. Their errors are logged only, because the transaction is already committed. */
  private async runAfterHooks(hooks: readonly RecordHook[], events: readonly AfterWriteEvent[]): Promise<void> {
    for (const { notify: _notify, ...written } of events) {
      const event: AfterCommitEvent = { ...written, manager: this.dataSource.manager };
      for (const hook of hooks) {
        try {
          await hook.run(event as never);
        } catch (err) {
          const { schema, operation } = event;
          this.logger.error({ err, hook: hook.name, schema, operation, msg: 'A hook failed after the commit.' });
        }
      }
    }
  }
}

async function before(transaction: WriteTransaction, hookRun: HookRun, record: HookedRecord): Promise<void> {
  const { schema, operation, hooks } = hookRun;
  const values = valuesOf(record.write);
  const hidden: Record<string, unknown> = Object.fromEntries(record.write.hidden);
  const event = { ...eventOf(transaction, hookRun, record), id: record.id, values };
  for (const hook of hooks.before) {
    const hookEvent: BeforeWriteEvent = { ...event, hidden: hook.schema === '*' ? {} : hidden };
    await hook.run(hookEvent as never);
  }
  if (operation === 'delete') return;
  const { now } = transaction.context;
  const faults = new WriteFaults();
  record.written = values;
  const hooked = { schema, operation, write: record.write, now };
  applyValues({ ...hooked, values }, faults);
  applyHidden({ ...hooked, values: hidden }, faults);
  faults.assertNone();
}

function eventOf(transaction: WriteTransaction, { schema, operation }: HookRun, record: HookedRecord): RecordEvent {
  const { context, request, manager, notify } = transaction;
  const { before: was, write } = record;
  return { ...scopeOf(schema, context, request), operation, before: was, named: write.names, manager, notify };
}

function scopeOf({ name }: LinkedSchema, { principal, permissions, now }: ContentContext, request: object): WriteScope {
  return { schema: name, principal, root: permissions.root, now, request };
}

async function withBefore(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  records: readonly ChangingRecord[],
): Promise<readonly HookedRecord[]> {
  const unread = records.flatMap(({ id, before: was }) => (id !== null && was === undefined ? [id] : []));
  const read = unread.length === 0 ? new Map<string, RecordValues>() : await ownValues(transaction, schema, unread);
  return records.map((record) => ({ ...record, before: record.before ?? read.get(record.id ?? '') ?? null }));
}

async function ownValues(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordValues>> {
  const plan = { table: schema.table.name, where: ALWAYS, record: plannedValues(schema) };
  const rows = await run<{ id: string; item: string }>(transaction, renderRecords(plan, keyOf(schema), ids));
  return new Map(rows.map(({ id, item }) => [id, JSON.parse(item) as RecordValues]));
}

/** Plans the own fields of a record, without write-only fields. Hooks and setters read these. */
export function plannedValues(schema: LinkedSchema): PlannedRecord {
  const columns = Object.values(schema.fields).flatMap((field) => {
    if (field.kind !== 'value' || field.hidden) return [];
    return [{ name: field.name, operand: ownColumn(field.column), type: field.type }];
  });
  return { columns, relations: [], getters: [] };
}

/** Returns an empty write, for deletions and for changes of links only. */
export function emptyWrite(
  names: Iterable<string> = [],
): ChangingRecord['write'] & { values: Map<string, WrittenValue> } {
  return { values: new Map(), inputValues: new Map(), hidden: new Map(), names: new Set(names) };
}
