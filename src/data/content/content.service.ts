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
import type { RecordBody } from './answer/list-answer.js';
import { entityTag, type WriteAnswer } from './answer/write-answer.js';
import { ContentBulk } from './content-bulk.service.js';
import { ContentReading } from './query/content-reading.service.js';
import { ContentWriting } from './content-writing.service.js';
import type { RawQuery } from './request/parse-list-query.js';
import { TransactionTurns } from './transaction-turns.js';
import type { WriteRequest } from './write/write-request.js';

/** Principal of a request, and the transaction in which it is answered. */
interface Asked {
  readonly principal: Principal;
  readonly within: EntityManager | undefined;
}

/** Services that do the work, and the turn that it takes. */
interface Workers {
  readonly reading: ContentReading;
  readonly writing: ContentWriting;
  readonly bulk: ContentBulk;
  readonly turns: TransactionTurns;
}

/**
 * Records from code of the application: what the API does, by the same rules, checks, hooks and events, without HTTP.
 */
@Injectable()
export class Content {
  private readonly workers: Workers;

  constructor(reading: ContentReading, writing: ContentWriting, bulk: ContentBulk) {
    this.workers = { reading, writing, bulk, turns: new TransactionTurns() };
  }

  /**
   * Returns the records as a principal may see and write them. `system` is the application itself: it passes permissions,
   * never validation.
   *
   * @throws TypeError for what is no principal: nobody is never the application.
   */
  as(principal: Principal | 'system'): ContentAs {
    const given = principal === 'system' ? SYSTEM : principal;
    const { kind } = Object(given) as Partial<Principal>;
    if (kind !== 'account' && kind !== 'guest' && kind !== 'system')
      throw new TypeError("content.as() takes a principal, such as that of @CurrentPrincipal(), or 'system'.");
    return new ContentAs(this.workers, { principal: given, within: undefined });
  }
}

/** Records as a principal may see and write them. */
export class ContentAs {
  constructor(
    private readonly workers: Workers,
    private readonly asked: Asked,
  ) {}

  /**
   * Returns the same in the transaction of the manager: what is written is done with it or not at all, and what it has
   * written is seen. An operation that is refused undoes itself alone.
   *
   * @throws TypeError for the manager of no transaction.
   */
  in(manager: EntityManager): ContentAs {
    if (manager.queryRunner?.isTransactionActive !== true)
      throw new TypeError('content.in() takes the manager of a transaction, such as dataSource.transaction hands out.');
    return new ContentAs(this.workers, { ...this.asked, within: manager });
  }

  /** Returns the records of a schema, by its name. Each operation throws what the API answers, as an `AppError`. */
  schema<Name extends SchemaName>(name: Name): Records<Name> {
    return new Records(this.workers, this.asked, name);
  }
}

/** Records of one schema, as a principal may see and write them. */
export class Records<Name extends string> {
  constructor(
    private readonly workers: Workers,
    private readonly asked: Asked,
    private readonly name: Name,
  ) {}

  /** Makes a record, with everything that it nests, and returns it; its key alone to who may not see it. */
  async create(data: ContentType<Name, 'create'>, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ body: bodyOf(data), query: recordQuery(options) });
    return this.written(() => this.workers.writing.create(request));
  }

  /** Returns a record, or null if there is none that the principal may see. */
  async get(id: string, options?: RecordOptions): Promise<ContentType<Name, 'record'> | null> {
    const found = await this.find(id, options);
    return found && dataOf(found.body);
  }

  /** Returns a record with its version, for `ifVersion` of a later change; null if there is none that the principal may see. */
  async getWithVersion(
    id: string,
    options?: RecordOptions,
  ): Promise<{ readonly record: ContentType<Name, 'record'>; readonly version: string } | null> {
    const found = await this.find(id, options);
    return found && { record: dataOf(found.body), version: found.version ?? '' };
  }

  /** Returns a page of records: by cursor if one is given, an empty one for the first page. */
  list(
    options: ListOptions<Name> & { readonly cursor: string },
  ): Promise<RecordCursorPage<ContentType<Name, 'record'>>>;
  list(options?: ListOptions<Name>): Promise<RecordPage<ContentType<Name, 'record'>>>;
  async list(options: ListOptions<Name> = {}): Promise<unknown> {
    const { principal, within } = this.asked;
    return this.read(() => this.workers.reading.list(principal, this.name, listQuery(options), within));
  }

  /**
   * Returns a page of the records that a relation to many of a record leads to, as {@link list} returns one.
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
    const { principal, within } = this.asked;
    const path = { schema: this.name, id, relation };
    return this.read(
      async () => (await this.workers.reading.related(principal, path, listQuery(options), within)).body,
    );
  }

  /** Changes a record in part, and returns it. Throws `record_not_found`, `record_changed` besides. */
  async update(
    id: string,
    data: ContentType<Name, 'update'>,
    options?: ChangeOptions & RecordOptions,
  ): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, body: bodyOf(data), query: recordQuery(options), ifMatch: tagOf(options) });
    return this.written(() => this.workers.writing.update(request, 'update'));
  }

  /** Deletes a record. Throws `record_not_found`, `record_in_use`, `record_changed` besides. */
  async remove(id: string, options?: ChangeOptions): Promise<void> {
    const request = this.request({ id, ifMatch: tagOf(options) });
    await this.workers.turns.take(this.asked, () => this.workers.writing.remove(request));
  }

  /** Takes a deletion back, with what went with it, and returns the record. Throws `record_not_found` besides. */
  async restore(id: string, options?: RecordOptions): Promise<ContentType<Name, 'record'>> {
    const request = this.request({ id, query: recordQuery(options) });
    return this.written(() => this.workers.writing.restore(request));
  }

  /**
   * Makes many records, all or none, and returns them in their order.
   *
   * @throws TypeError for what is no list.
   */
  async createMany(
    data: readonly ContentType<Name, 'create'>[],
    options?: RecordOptions,
  ): Promise<readonly ContentType<Name, 'record'>[]> {
    if (!Array.isArray(data)) throw new TypeError('createMany() takes a list of records.');
    const request = this.request({ body: bodyOf(data), query: recordQuery(options) });
    return this.written(() => this.workers.writing.create(request));
  }

  /** Changes all records that a filter finds and that may be changed so, all or none, and returns how many. */
  async updateMany(filter: ContentType<Name, 'filter'>, data: ContentType<Name, 'update'>): Promise<number> {
    const request = this.request({ body: bodyOf(data), query: textsOf({ filter }) });
    return this.counted(() => this.workers.bulk.update(request));
  }

  /** Deletes all records that a filter finds and that may be deleted, all or none, and returns how many. */
  async removeMany(filter: ContentType<Name, 'filter'>): Promise<number> {
    const request = this.request({ query: textsOf({ filter }) });
    return this.counted(() => this.workers.bulk.remove(request));
  }

  /** Returns what is computed over the records that a filter finds, a row a group. */
  async aggregate({ count, ...options }: AggregateOptions<Name>): Promise<readonly Record<string, unknown>[]> {
    const { principal, within } = this.asked;
    const query = textsOf({ ...options, count: count === true ? '*' : undefined, limit: GROUPS_OF_PAGE });
    const groups: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: RawQuery = { ...query, cursor };
      const body = await this.workers.turns.take(this.asked, () =>
        this.workers.bulk.aggregate(principal, this.name, page, within),
      );
      const answer = JSON.parse(body) as AggregatePage;
      groups.push(...answer.data);
      cursor = answer.next_cursor;
    }
    return groups;
  }

  private request(parts: Partial<Pick<WriteRequest, 'id' | 'body' | 'query' | 'ifMatch'>>): WriteRequest {
    const nothing = { id: '', body: undefined, query: {}, ifMatch: null, prefer: null, idempotencyKey: null };
    return { ...nothing, ...parts, ...this.asked, schema: this.name };
  }

  private async find(id: string, options?: RecordOptions): Promise<RecordBody | null> {
    const { principal, within } = this.asked;
    const query = recordQuery(options);
    try {
      return await this.workers.turns.take(this.asked, () =>
        this.workers.reading.get(principal, this.name, id, query, within),
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
    return dataOf(await this.workers.turns.take(this.asked, answer));
  }
}

/** A page of the groups of an aggregate. */
interface AggregatePage {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

/** The most that a page may have: code gets all groups. */
const GROUPS_OF_PAGE = 1_000;

function dataOf<T>(body: string): T {
  return (JSON.parse(body) as { data: T }).data;
}

/** Returns the entity tag of a version; a text that is none, such as one that a client sent, is that of no record. */
function tagOf({ ifVersion }: ChangeOptions = {}): string | null {
  if (ifVersion === undefined) return null;
  return entityTag(/^\d+$/.test(ifVersion) ? ifVersion : '');
}

/** Returns what code gives as a request would bring it: times as texts, whole numbers of any size, bytes in base64. */
function bodyOf(data: unknown): unknown {
  const text = JSON.stringify(data, function (this: Record<string, unknown>, key: string, value: unknown) {
    const given = this[key];
    if (typeof given === 'bigint') return String(given);
    return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
  }) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

function listQuery<Name extends string>(options: ListOptions<Name>): RawQuery {
  const { filter, sort, limit, page, cursor, count } = options;
  return { ...recordQuery(options), ...textsOf({ filter, sort, limit, page, cursor, count }) };
}

function recordQuery({ select, relations, withDeleted }: RecordOptions = {}): RawQuery {
  return textsOf({ select, relations, with_deleted: withDeleted });
}

/** Returns parameters as a query has them: lists by commas, everything else that is no text as JSON. */
function textsOf(parameters: Readonly<Record<string, unknown>>): RawQuery {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      return [name, Array.isArray(value) ? value.join(',') : JSON.stringify(value)];
    }),
  );
}
