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
import { dataOf, entityTag, type RecordBody, type WriteAnswer } from './answers.js';
import { ContentBulk } from './content-bulk.service.js';
import { ContentReading } from './query/content-reading.service.js';
import { ContentWriting } from './content-writing.service.js';
import type { RawQuery } from './request/parse-list-query.js';
import { TransactionTurns } from './transaction-turns.js';
import type { WriteRequest } from './write/write-request.js';

/** Principal of a call, and the transaction in which it runs. */
interface ContentCaller {
  readonly principal: Principal;
  readonly within: EntityManager | undefined;
}

interface Workers {
  readonly reading: ContentReading;
  readonly writing: ContentWriting;
  readonly bulk: ContentBulk;
  readonly turns: TransactionTurns;
}

/** Access to records from application code. Applies the same permissions, validation, hooks and events as the HTTP API. */
@Injectable()
export class Content {
  private readonly workers: Workers;

  constructor(reading: ContentReading, writing: ContentWriting, bulk: ContentBulk) {
    this.workers = { reading, writing, bulk, turns: new TransactionTurns() };
  }

  /**
   * Returns the records with the permissions of a principal. `system` is the application itself: it skips permissions, but never
   * validation.
   *
   * @throws TypeError for a value that is not a principal. A missing principal is never treated as the application.
   */
  as(principal: Principal | 'system'): ContentAs {
    const effective = principal === 'system' ? SYSTEM : principal;
    const { kind } = Object(effective) as Partial<Principal>;
    if (kind !== 'account' && kind !== 'guest' && kind !== 'system')
      throw new TypeError("content.as() requires a principal, such as the value of @CurrentPrincipal(), or 'system'.");
    return new ContentAs(this.workers, { principal: effective, within: undefined });
  }
}

/** Records with the permissions of a principal. */
export class ContentAs {
  constructor(
    private readonly workers: Workers,
    private readonly caller: ContentCaller,
  ) {}

  /**
   * Returns the same records inside the transaction of the manager. Writes commit or roll back with the transaction, and reads see its
   * writes. An operation that fails rolls back only its own changes.
   *
   * @throws TypeError if the manager has no active transaction.
   */
  in(manager: EntityManager): ContentAs {
    if (manager.queryRunner?.isTransactionActive !== true)
      throw new TypeError(
        'content.in() requires the manager of a transaction, such as the one of dataSource.transaction().',
      );
    return new ContentAs(this.workers, { ...this.caller, within: manager });
  }

  /** Returns the records of a schema by its name. Each operation throws the errors of the API as `AppError`. */
  schema<Name extends SchemaName>(name: Name): Records<Name> {
    return new Records(this.workers, this.caller, name);
  }
}

/** Records of one schema, with the permissions of a principal. */
export class Records<Name extends string> {
  constructor(
    private readonly workers: Workers,
    private readonly caller: ContentCaller,
    private readonly name: Name,
  ) {}

  /** Creates a record, including nested records, and returns it. Returns only its key if the principal may not read it. */
  async create(data: ContentType<Name, 'create'>, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ body: jsonOf(data), query: recordQuery(options) });
    return this.written(() => this.workers.writing.create(request));
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
    return this.read(() => this.workers.reading.list(principal, this.name, listQuery(options), { within }));
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
    return this.read(
      async () => (await this.workers.reading.related(principal, path, listQuery(options), { within })).body,
    );
  }

  /** Updates the given fields of a record and returns it. Also throws `record_not_found`, `record_changed`. */
  async update(
    id: string,
    data: ContentType<Name, 'update'>,
    options?: ChangeOptions & RecordOptions,
  ): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, body: jsonOf(data), query: recordQuery(options), ifMatch: tagOf(options) });
    return this.written(() => this.workers.writing.update(request, 'update'));
  }

  /** Deletes a record. Also throws `record_not_found`, `record_in_use`, `record_changed`. */
  async remove(id: string, options?: ChangeOptions): Promise<void> {
    const request = this.request({ id, ifMatch: tagOf(options) });
    await this.workers.turns.run(this.caller, () => this.workers.writing.remove(request));
  }

  /** Restores a deleted record with the records deleted along with it, and returns it. Also throws `record_not_found`. */
  async restore(id: string, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, query: recordQuery(options) });
    return this.written(() => this.workers.writing.restore(request));
  }

  /**
   * Creates many records, all or none, and returns them in the same order.
   *
   * @throws TypeError if `data` is not an array.
   */
  async createMany(
    data: readonly ContentType<Name, 'create'>[],
    options?: RecordOptions,
  ): Promise<readonly ContentType<Name, 'record'>[]> {
    if (!Array.isArray(data)) throw new TypeError('createMany() requires a list of records.');
    const request = this.request({ body: jsonOf(data), query: recordQuery(options) });
    return this.written(() => this.workers.writing.create(request));
  }

  /** Updates all records that match the filter and may be changed, all or none. Returns their number. */
  async updateMany(filter: ContentType<Name, 'filter'>, data: ContentType<Name, 'update'>): Promise<number> {
    const request = this.request({ body: jsonOf(data), query: parametersOf({ filter }) });
    return this.counted(() => this.workers.bulk.update(request));
  }

  /** Deletes all records that match the filter and may be deleted, all or none. Returns their number. */
  async removeMany(filter: ContentType<Name, 'filter'>): Promise<number> {
    const request = this.request({ query: parametersOf({ filter }) });
    return this.counted(() => this.workers.bulk.remove(request));
  }

  /** Returns aggregates over the records that match the filter, one row per group. */
  async aggregate({ count, ...options }: AggregateOptions<Name>): Promise<readonly Record<string, unknown>[]> {
    const { principal, within } = this.caller;
    const query = parametersOf({ ...options, count: count === true ? '*' : undefined, limit: GROUPS_OF_PAGE });
    const groups: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: RawQuery = { ...query, cursor };
      const body = await this.workers.turns.run(this.caller, () =>
        this.workers.reading.aggregate(principal, this.name, page, { within }),
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
      return await this.workers.turns.run(this.caller, () =>
        this.workers.reading.get(principal, this.name, id, query, { within }),
      );
    } catch (error) {
      if (error instanceof AppError && error.code === 'record_not_found') return null;
      throw error;
    }
  }

  private async counted(write: () => Promise<WriteAnswer>): Promise<number> {
    return (await this.written<{ readonly count: number }>(write)).count;
  }

  private async written<T>(write: () => Promise<WriteAnswer>): Promise<T> {
    return this.read(async () => (await write()).body);
  }

  private async read<T>(answer: () => Promise<string>): Promise<T> {
    return dataOf(await this.workers.turns.run(this.caller, answer));
  }
}

interface AggregatePage {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

/** Maximum page size of the API. All pages are fetched, because code gets all groups. */
const GROUPS_OF_PAGE = 1_000;

/** Returns the entity tag of a version. A text that is not a version, such as unchecked client input, matches no record. */
function tagOf({ ifVersion }: ChangeOptions = {}): string | null {
  if (ifVersion === undefined) return null;
  return entityTag(/^\d+$/.test(ifVersion) ? ifVersion : '');
}

/** Converts values to those of JSON, as a request has them: dates and bigint as strings, bytes as base64. */
function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return jsonOf((value as Pick<Date, 'toJSON'>).toJSON());
  if (Array.isArray(value)) return value.map((item) => jsonOf(item) ?? null);
  const members = Object.entries(value).map(([name, member]) => [name, jsonOf(member)] as const);
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
  return jsonOf(parameters) as RawQuery;
}
