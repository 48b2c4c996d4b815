import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { type Principal, SYSTEM } from '../../kernel/principal.types.js';
import type {
  AggregateOptions,
  ChangeOptions,
  ContentType,
  ListOptions,
  RecordCursorPage,
  RecordOptions,
  RecordPage,
  SchemaName,
} from './content.types.js';
import { dataOf, entityTag, type RecordBody, type WriteResponse } from './answers.js';
import { ContentBulk } from './content-bulk.service.js';
import { ContentReading } from './query/content-reading.service.js';
import { ContentWriting } from './content-writing.service.js';
import type { RawQuery } from './request/parse-list-query.js';
import { TransactionQueue } from './transaction-queue.js';
import type { WriteRequest } from './write/write-request.js';

/** Principal of a call, and the manager of the caller's transaction. */
interface ContentCaller {
  readonly principal: Principal;
  readonly within: EntityManager | undefined;
}

interface ContentServices {
  readonly reading: ContentReading;
  readonly writing: ContentWriting;
  readonly bulk: ContentBulk;
  readonly queue: TransactionQueue;
}

/** Access to records from application code. Applies the same permissions, validation, hooks and events as the HTTP API. */
@Injectable()
export class Content {
  private readonly services: ContentServices;

  constructor(reading: ContentReading, writing: ContentWriting, bulk: ContentBulk) {
    this.services = { reading, writing, bulk, queue: new TransactionQueue() };
  }

  /**
   * Returns an object that accesses records with the permissions of a principal. `system` is the application itself: it skips
   * permissions, but never validation.
   *
   * @throws TypeError for a value that is not a principal. A missing principal is never treated as the application.
   */
  as(principal: Principal | 'system'): ContentAs {
    const effective = principal === 'system' ? SYSTEM : principal;
    const { kind } = Object(effective) as Partial<Principal>;
    if (kind !== 'account' && kind !== 'guest' && kind !== 'system')
      throw new TypeError("content.as() requires a principal, such as the value of @CurrentPrincipal(), or 'system'.");
    return new ContentAs(this.services, { principal: effective, within: undefined });
  }
}

/** Access to records with the permissions of a principal. */
export class ContentAs {
  constructor(
    private readonly services: ContentServices,
    private readonly caller: ContentCaller,
  ) {}

  /**
   * Returns the same access inside the transaction of the manager. Writes commit or roll back with the transaction, and reads see its
   * writes. A failed operation rolls back only its own changes.
   *
   * @throws TypeError if the manager has no active transaction.
   */
  in(manager: EntityManager): ContentAs {
    if (manager.queryRunner?.isTransactionActive !== true)
      throw new TypeError(
        'content.in() requires the manager of a transaction, such as the one of dataSource.transaction().',
      );
    return new ContentAs(this.services, { ...this.caller, within: manager });
  }

  /** Returns the operations on the records of a schema, by its name. Each operation throws the errors of the API as `AppError`. */
  schema<Name extends SchemaName>(name: Name): Records<Name> {
    return new Records(this.services, this.caller, name);
  }
}

/** Operations on the records of one schema, with the permissions of a principal. */
export class Records<Name extends string> {
  constructor(
    private readonly services: ContentServices,
    private readonly caller: ContentCaller,
    private readonly name: Name,
  ) {}

  /** Creates a record, including nested records, and returns it. Returns only its key if the principal may not read it. */
  async create(data: ContentType<Name, 'create'>, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ body: toJson(data), query: recordQuery(options) });
    return this.runWrite(() => this.services.writing.create(request));
  }

  /** Returns a record, or null if the principal cannot read a record with this id. */
  async get(id: string, options?: RecordOptions): Promise<ContentType<Name, 'record'> | null> {
    const found = await this.find(id, options);
    return found && dataOf(found.body);
  }

  /** Returns a record and its version, for `ifVersion` of a later change. Returns null if the principal cannot read it. */
  async getWithVersion(
    id: string,
    options?: RecordOptions,
  ): Promise<{ readonly record: ContentType<Name, 'record'>; readonly version: string } | null> {
    const found = await this.find(id, options);
    return found && { record: dataOf(found.body), version: found.version ?? '' };
  }

  /** Returns a page of records. With `cursor` the page is a cursor page; pass an empty string for the first page. */
  list(
    options: ListOptions<Name> & { readonly cursor: string },
  ): Promise<RecordCursorPage<ContentType<Name, 'record'>>>;
  list(options?: ListOptions<Name>): Promise<RecordPage<ContentType<Name, 'record'>>>;
  async list(options: ListOptions<Name> = {}): Promise<unknown> {
    const { principal, within } = this.caller;
    return this.runRead(() => this.services.reading.list(principal, this.name, listQuery(options), { within }));
  }

  /**
   * Returns a page of the records of a to-many relation, like {@link list}.
   *
   * @throws AppError `record_not_found` for a record or a relation that the principal cannot read.
   */
  related<Target extends SchemaName = SchemaName>(
    id: string,
    relation: string,
    options: ListOptions<Target> & { readonly cursor: string },
  ): Promise<RecordCursorPage<ContentType<Target, 'record'>>>;
  related<Target extends SchemaName = SchemaName>(
    id: string,
    relation: string,
    options?: ListOptions<Target>,
  ): Promise<RecordPage<ContentType<Target, 'record'>>>;
  async related(id: string, relation: string, options: ListOptions<SchemaName> = {}): Promise<unknown> {
    const { principal, within } = this.caller;
    const path = { schema: this.name, id, relation };
    return this.runRead(
      async () => (await this.services.reading.related(principal, path, listQuery(options), { within })).body,
    );
  }

  /** Updates the given fields of a record and returns it. Also throws `record_not_found`, `record_changed`. */
  async update(
    id: string,
    data: ContentType<Name, 'update'>,
    options?: ChangeOptions & RecordOptions,
  ): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, body: toJson(data), query: recordQuery(options), ifMatch: ifMatchOf(options) });
    return this.runWrite(() => this.services.writing.update(request, 'update'));
  }

  /** Deletes a record. Also throws `record_not_found`, `record_in_use`, `record_changed`. */
  async remove(id: string, options?: ChangeOptions): Promise<void> {
    const request = this.request({ id, ifMatch: ifMatchOf(options) });
    await this.services.queue.run(this.caller, () => this.services.writing.remove(request));
  }

  /** Restores a deleted record, with the records that the same deletion deleted, and returns it. Also throws `record_not_found`. */
  async restore(id: string, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, query: recordQuery(options) });
    return this.runWrite(() => this.services.writing.restore(request));
  }

  /**
   * Creates several records in one transaction, and returns them in the same order.
   *
   * @throws TypeError if `data` is not an array.
   */
  async createMany(
    data: readonly ContentType<Name, 'create'>[],
    options?: RecordOptions,
  ): Promise<readonly ContentType<Name, 'record'>[]> {
    if (!Array.isArray(data)) throw new TypeError('createMany() requires a list of records.');
    const request = this.request({ body: toJson(data), query: recordQuery(options) });
    return this.runWrite(() => this.services.writing.create(request));
  }

  /** Updates all records that match the filter and that the principal may update, in one transaction. Returns their number. */
  async updateMany(filter: ContentType<Name, 'filter'>, data: ContentType<Name, 'update'>): Promise<number> {
    const request = this.request({ body: toJson(data), query: parametersOf({ filter }) });
    return this.runCountedWrite(() => this.services.bulk.update(request));
  }

  /** Deletes all records that match the filter and that the principal may delete, in one transaction. Returns their number. */
  async removeMany(filter: ContentType<Name, 'filter'>): Promise<number> {
    const request = this.request({ query: parametersOf({ filter }) });
    return this.runCountedWrite(() => this.services.bulk.remove(request));
  }

  /** Returns the aggregates of the records that match the filter, one row per group. */
  async aggregate({ count, ...options }: AggregateOptions<Name>): Promise<readonly Record<string, unknown>[]> {
    const { principal, within } = this.caller;
    const query = parametersOf({ ...options, count: count === true ? '*' : undefined, limit: GROUPS_PER_PAGE });
    const groups: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: RawQuery = { ...query, cursor };
      const body = await this.services.queue.run(this.caller, () =>
        this.services.reading.aggregate(principal, this.name, page, { within }),
      );
      const answer = JSON.parse(body) as AggregatePage;
      groups.push(...answer.data);
      cursor = answer.next_cursor;
    }
    return groups;
  }

  private request(parts: Partial<Pick<WriteRequest, 'id' | 'body' | 'query' | 'ifMatch'>>): WriteRequest {
    const nothing = { id: '', body: undefined, query: {}, ifMatch: null, prefer: null, idempotencyKey: null };
    return { ...nothing, ...parts, ...this.caller, schema: this.name };
  }

  private async find(id: string, options?: RecordOptions): Promise<RecordBody | null> {
    const { principal, within } = this.caller;
    const query = recordQuery(options);
    try {
      return await this.services.queue.run(this.caller, () =>
        this.services.reading.get(principal, this.name, id, query, { within }),
      );
    } catch (error) {
      if (error instanceof AppError && error.code === 'record_not_found') return null;
      throw error;
    }
  }

  private async runCountedWrite(write: () => Promise<WriteResponse>): Promise<number> {
    return (await this.runWrite<{ readonly count: number }>(write)).count;
  }

  private async runWrite<T>(write: () => Promise<WriteResponse>): Promise<T> {
    return this.runRead(async () => (await write()).body);
  }

  private async runRead<T>(answer: () => Promise<string>): Promise<T> {
    return dataOf(await this.services.queue.run(this.caller, answer));
  }
}

interface AggregatePage {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

/** Maximum page size of the API. `aggregate` fetches all pages. */
const GROUPS_PER_PAGE = 1_000;

/** Returns the entity tag of a version. A value that is not a version, such as unchecked client input, matches no record. */
function ifMatchOf({ ifVersion }: ChangeOptions = {}): string | null {
  if (ifVersion === undefined) return null;
  return entityTag(/^\d+$/.test(ifVersion) ? ifVersion : '');
}

/** Converts values to the JSON values of an HTTP request: dates and bigint to strings, bytes to base64. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return toJson((value as Pick<Date, 'toJSON'>).toJSON());
  if (Array.isArray(value)) return value.map((item) => toJson(item) ?? null);
  const members = Object.entries(value).map(([name, member]) => [name, toJson(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function listQuery<Name extends string>(options: ListOptions<Name>): RawQuery {
  const { filter, sort, limit, page, cursor, count } = options;
  return { ...recordQuery(options), ...parametersOf({ filter, sort, limit, page, cursor, count }) };
}

function recordQuery({ select, relations, withDeleted }: RecordOptions = {}): RawQuery {
  return parametersOf({ select, relations, with_deleted: withDeleted });
}

function parametersOf(parameters: Readonly<Record<string, unknown>>): RawQuery {
  return toJson(parameters) as RawQuery;
}
