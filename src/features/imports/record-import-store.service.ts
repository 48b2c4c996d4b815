import { toStorable } from '../../kernel/text/storable-text.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { RawQuery, RowFault } from '../../data/content/content.public.js';
import type { StagedChunk, StampedRecord, WrittenChunk } from '../../data/content/import/import-steps.service.js';
import type { LaterActor } from '../../identity/auth/auth.public.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import type { ImportState, RecordImport } from './record-import.entity.js';
import { defineLimit } from '../../kernel/limits.js';

/** Retention after the last step. */
const KEPT_MS = 7 * 86_400_000;
/** Retention of an import whose upload makes no progress. */
const RECEIVING_MS = 3_600_000;

export interface ImportChunk<Content> {
  readonly n: number;
  readonly rows: number;
  readonly content: Content;
}

export interface AskedImport {
  readonly owner: string;
  readonly actor: LaterActor;
  readonly schema: string;
  readonly mode: string;
  readonly query: RawQuery;
  readonly mediaType: string;
  readonly appliesItself: boolean;
}

const MOST_PENDING = defineLimit(5, 'Imports', 'unfinished imports of one account', 'imports_pending');
const MOST_LISTED = defineLimit(100, 'Imports', 'imports that the list returns', null);

type FaultStep = 'read' | 'check' | 'apply' | 'undo';

const COLUMNS = `id, owner_id AS "ownerId", actor, schema, mode, query, media_type AS "mediaType", state,
  applies_itself AS "appliesItself", is_readable AS "isReadable", skips_faulty AS "skipsFaulty", rows, blank, checked, would_create AS "wouldCreate",
  would_update AS "wouldUpdate", applied, created, updated, removed, faults, ignored,
  error, can_be_undone AS "canBeUndone", schema_version AS "schemaVersion", created_at AS "createdAt", updated_at AS "updatedAt",
  expires_at AS "expiresAt"`;
/** Adds errors to an import if it still exists. It can be deleted at any time, also with its account. */
const FAULTS = `held AS MATERIALIZED (SELECT id FROM record_imports WHERE id = $1 FOR UPDATE), found AS (
    INSERT INTO record_import_faults (import_id, "row", field, code, message, step)
    SELECT held.id, f."row", f.field, f.code, f.message, $2
    FROM held, jsonb_to_recordset($3::jsonb) AS f ("row" integer, field text, code text, message text)
    ON CONFLICT DO NOTHING RETURNING 1)`;
/**
 * Returns the statement that receives chunks. Each chunk is a separate parameter. As elements of an array parameter they would be escaped
 * and parsed again, character by character.
 */
const receive = (chunks: number): string => `WITH ${FAULTS}, added AS (
    INSERT INTO record_import_chunks (import_id, n, rows, body)
    SELECT held.id, c.* FROM held, unnest($4::int[], $5::int[], ARRAY[${Array.from({ length: chunks }, (_, at) => `$${at + 11}`).join(', ')}]::text[]) AS c)
  UPDATE record_imports SET rows = rows + $6, blank = blank + $10, is_readable = is_readable AND $9, faults = faults + (SELECT count(*) FROM found), updated_at = $7,
    expires_at = $8
  WHERE id = $1 AND state = 'receiving' RETURNING faults`;
const NOTE = `WITH ${FAULTS}
  UPDATE record_imports SET checked = $4, faults = faults + (SELECT count(*) FROM found), updated_at = $5
  WHERE id = $1 AND state = 'checking' RETURNING faults`;
const APPLIED = `WITH ${FAULTS}, written AS (
    UPDATE record_import_chunks c SET body = NULL, made = w.made
    FROM jsonb_to_recordset($4::jsonb) AS w (n integer, made jsonb) WHERE c.import_id = $1 AND c.n = w.n)
  UPDATE record_imports SET applied = applied + $5, created = created + $6, updated = updated + $7, can_be_undone = can_be_undone AND $8,
    faults = faults + (SELECT count(*) FROM found), updated_at = $9 WHERE id = $1`;
const REMOVED = `WITH ${FAULTS}, undone AS (
    UPDATE record_import_chunks SET made = NULL WHERE import_id = $1 AND n = ANY($4::int[]))
  UPDATE record_imports SET removed = removed + $5, faults = faults + (SELECT count(*) FROM found), updated_at = $6 WHERE id = $1`;

@Injectable()
export class RecordImportStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** Inserts an import and returns its id; null if the account has reached its limit. */
  async begin({ owner, actor, schema, mode, query, mediaType, appliesItself }: AskedImport): Promise<string | null> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + RECEIVING_MS);
    return this.transaction(async (manager) => {
      // The lock serialises the count of one account.
      await manager.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [owner]);
      const [pending] = await manager.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM record_imports WHERE owner_id = $1 AND state NOT IN ('done', 'undone') AND expires_at > $2`,
        [owner, now],
      );
      if ((pending?.count ?? 0) >= MOST_PENDING) return null;
      const id = newId();
      await manager.query(
        `INSERT INTO record_imports (id, owner_id, actor, schema, mode, query, media_type, state, applies_itself, created_at, updated_at,
          expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 'receiving', $8, $9, $9, $10)`,
        [id, owner, JSON.stringify(actor), schema, mode, JSON.stringify(query), mediaType, appliesItself, now, until],
      );
      return id;
    });
  }

  async list(owner: string): Promise<RecordImport[]> {
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM record_imports WHERE owner_id = $1 AND expires_at > $2 ORDER BY id DESC LIMIT ${MOST_LISTED}`,
      [owner, this.clock.now()],
    );
  }

  /** Deletes an import that is in one of these states. Returns whether it was. */
  async forget(id: string, from: readonly ImportState[]): Promise<boolean> {
    const deletion = 'DELETE FROM record_imports WHERE id = $1 AND state = ANY($2::text[])';
    const [, count] = await this.dataSource.query<[unknown[], number]>(deletion, [id, from]);
    return count > 0;
  }

  /** Deletes an import whose upload failed. */
  async remove(id: string): Promise<void> {
    await this.forget(id, ['receiving']);
  }

  async find(id: string, manager: EntityManager = this.dataSource.manager): Promise<RecordImport | null> {
    const [found] = await manager.query<RecordImport[]>(`SELECT ${COLUMNS} FROM record_imports WHERE id = $1`, [id]);
    return found ?? null;
  }

  /** Returns an import with a row lock. Concurrent runs wait here. */
  async hold(manager: EntityManager, id: string): Promise<RecordImport | null> {
    const locked = `SELECT ${COLUMNS} FROM record_imports WHERE id = $1 FOR UPDATE`;
    const [found] = await manager.query<RecordImport[]>(locked, [id]);
    return found ?? null;
  }

  /** Changes the state of an import that is in one of these states, together with other columns. Returns whether it was. */
  async move(
    id: string,
    from: readonly ImportState[],
    changes: Readonly<Record<string, unknown>>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const now = this.clock.now();
    const all = Object.entries({ ...changes, updated_at: now, expires_at: new Date(now.getTime() + KEPT_MS) });
    const set = all.map(([column], at) => `${column} = $${at + 3}`).join(', ');
    const [, count] = await manager.query<[unknown[], number]>(
      `UPDATE record_imports SET ${set} WHERE id = $1 AND state = ANY($2::text[])`,
      [id, from, ...all.map(([, value]) => value)],
    );
    return count > 0;
  }

  /** Stores received rows and returns the total number of errors; null if the import is not receiving any more. */
  async receive(id: string, from: number, chunks: readonly StagedChunk[]): Promise<number | null> {
    const now = this.clock.now();
    const filled = chunks.filter(({ rows }) => rows > 0);
    const values = [
      ...faultValues(
        id,
        'read',
        chunks.flatMap(({ faults }) => faults),
      ),
      filled.map((_chunk, at) => from + at),
      filled.map(({ rows }) => rows),
      filled.reduce((sum, { rows }) => sum + rows, 0),
      now,
      new Date(now.getTime() + RECEIVING_MS),
      chunks.every(({ isReadable }) => isReadable),
      chunks.reduce((sum, { blank }) => sum + blank, 0),
      ...filled.map(({ text }) => text),
    ];
    return faultsIn(await this.dataSource.query(receive(filled.length), values));
  }

  /** Restarts a check. Errors of an earlier check are deleted, because they will be found again. */
  async beginCheck(id: string): Promise<void> {
    await this.dataSource.query(
      `WITH gone AS (DELETE FROM record_import_faults WHERE import_id = $1 AND step <> 'read' RETURNING 1)
       UPDATE record_imports SET checked = 0, schema_version = 0, faults = faults - (SELECT count(*) FROM gone) WHERE id = $1`,
      [id],
    );
  }

  /** Stores the progress of a check and returns the total number of errors; null if the check must stop. */
  async noteChecked(id: string, checked: number, faults: readonly RowFault[]): Promise<number | null> {
    const values = [...faultValues(id, 'check', faults), checked, this.clock.now()];
    return faultsIn(await this.dataSource.query(NOTE, values));
  }

  async bodies(
    id: string,
    from: number,
    most: number,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<readonly ImportChunk<string>[]> {
    return manager.query(
      `SELECT n, rows, body AS content FROM record_import_chunks
       WHERE import_id = $1 AND n >= $2 AND body IS NOT NULL ORDER BY n LIMIT $3`,
      [id, from, most],
    );
  }

  /** Returns the last chunks of records that the import created and has not deleted again. */
  async made(
    manager: EntityManager,
    id: string,
    most: number,
  ): Promise<readonly ImportChunk<readonly StampedRecord[]>[]> {
    return manager.query(
      `SELECT n, rows, made AS content FROM record_import_chunks
       WHERE import_id = $1 AND made IS NOT NULL ORDER BY n DESC LIMIT $2`,
      [id, most],
    );
  }

  async bookWritten(
    manager: EntityManager,
    id: string,
    written: readonly (ImportChunk<string> & { readonly result: WrittenChunk })[],
  ): Promise<void> {
    const sum = (of: (result: WrittenChunk) => number): number =>
      written.reduce((total, { result }) => total + of(result), 0);
    await manager.query(APPLIED, [
      ...faultValues(
        id,
        'apply',
        written.flatMap(({ result }) => result.faults),
      ),
      JSON.stringify(written.map(({ n, result: { made } }) => ({ n, made: made.length > 0 ? made : null }))),
      written.reduce((total, { rows }) => total + rows, 0),
      sum(({ created }) => created),
      sum(({ updated }) => updated),
      written.every(({ result }) => result.canBeUndone),
      this.clock.now(),
    ]);
  }

  async bookRemoved(
    manager: EntityManager,
    id: string,
    chunks: readonly number[],
    removed: number,
    faults: readonly RowFault[],
  ): Promise<void> {
    await manager.query(REMOVED, [...faultValues(id, 'undo', faults), chunks, removed, this.clock.now()]);
  }

  /** Stops an import. Used if rows fail after a successful check; these rows are not written. */
  async stop(id: string, faults: readonly RowFault[], error: string | null): Promise<void> {
    await this.transaction(async (manager) => {
      const states = ['checking', 'applying', 'undoing'] as const;
      if (!(await this.move(id, states, { state: 'stopped', error }, manager))) return;
      await manager.query(
        `WITH ${FAULTS} UPDATE record_imports SET faults = faults + (SELECT count(*) FROM found) WHERE id = $1`,
        faultValues(id, 'apply', faults),
      );
    });
  }
}

function faultValues(id: string, step: FaultStep, faults: readonly RowFault[]): readonly [string, string, string] {
  // A column name of the file may contain characters that PostgreSQL cannot store.
  const storable = (_key: string, value: unknown) => (typeof value === 'string' ? toStorable(value) : value);
  return [id, step, JSON.stringify(faults, storable)];
}

/** Returns the count of an UPDATE with RETURNING. The driver returns rows and their number. */
function faultsIn([rows]: readonly [readonly { readonly faults: number }[], number]): number | null {
  return rows[0]?.faults ?? null;
}
