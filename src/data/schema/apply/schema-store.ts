import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { NameHistory } from '../snapshot/name-history.js';
import { restoreSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import type { ChangeOrigin, StatementRunner } from '../plan/plan.types.js';

export interface NewVersion {
  readonly snapshot: SchemaSnapshot;
  readonly before: SchemaSnapshot;
  readonly words: readonly string[];
  readonly pending: readonly string[];
  /** True if values were converted with loss. */
  readonly lossy: boolean;
  readonly origin: ChangeOrigin;
  /** Account id; null if the change was not made by a request. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

/** A version as returned by the history. */
@ApiSchema({ name: 'SchemaVersion' })
export class VersionSummary {
  @ApiProperty({ type: 'integer', minimum: 0 }) readonly version: number;
  @ApiProperty() readonly hash: string;
  @ApiProperty({ type: [String] }) readonly steps: readonly string[];
  @ApiProperty({ type: String }) readonly origin: ChangeOrigin;
  @ApiProperty({ type: String, nullable: true }) readonly created_by: string | null;
  @ApiProperty() readonly created_at: Date;
}

export interface PendingStatements {
  readonly version: number;
  readonly pending: readonly string[];
}

interface StoredVersion {
  readonly version: number;
  readonly hash: string;
  readonly format: number;
  readonly parts: Readonly<Record<string, string>>;
  readonly history: NameHistory;
}

const VERSIONS = 'SELECT version, hash, format, parts, history FROM schema_versions';
/** Number of schemas per insert, so that a large change does not delay other work. */
const PARTS_AT_ONCE = 20;

/** Stores all schema versions in the database. Schemas that several versions share are stored once. */
@Injectable()
export class SchemaStore {
  /** Returns the newest snapshot, or `known` if none is newer. Schemas shared with `known` are not read again. */
  async newest(runner: StatementRunner, cached: SchemaSnapshot): Promise<SchemaSnapshot> {
    const [row] = await runner.query<StoredVersion[]>(`${VERSIONS} WHERE version > $1 ORDER BY version DESC LIMIT 1`, [
      cached.version,
    ]);
    return row === undefined ? cached : this.restore(runner, row, cached);
  }

  /** Returns the snapshot of a version, or null. Schemas shared with `known` are not read again. */
  async find(runner: StatementRunner, version: number, cached: SchemaSnapshot): Promise<SchemaSnapshot | null> {
    const [row] = await runner.query<StoredVersion[]>(`${VERSIONS} WHERE version = $1`, [version]);
    return row === undefined ? null : this.restore(runner, row, cached);
  }

  /** Returns whether a version converted values with loss, and the number of consecutive undos up to it. */
  async conversionOf(runner: StatementRunner, version: number): Promise<{ lossy: boolean; undos: number }> {
    const [row] = await runner.query<{ lossy: boolean; undos: number }[]>(
      `SELECT lossy, version - coalesce((SELECT max(version) FROM schema_versions
         WHERE version <= $1 AND origin <> 'undo'), 0) AS undos FROM schema_versions WHERE version = $1`,
      [version],
    );
    return row ?? { lossy: false, undos: 0 };
  }

  async add(runner: StatementRunner, version: NewVersion): Promise<void> {
    const { snapshot, before, words, pending, lossy, origin, createdBy, createdAt } = version;
    await this.addParts(runner, snapshot, before);
    const parts = Object.fromEntries(Object.values(snapshot.schemas).map(({ name, hash }) => [name, hash]));
    await runner.query(
      `INSERT INTO schema_versions
         (version, hash, format, parts, history, words, pending, lossy, origin, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        snapshot.version,
        snapshot.hash,
        snapshot.format,
        ...[parts, snapshot.history, words, pending].map((value) => JSON.stringify(value)),
        lossy,
        origin,
        createdBy,
        createdAt,
      ],
    );
  }

  /** Returns versions, newest first. @param before only versions below this one. */
  async list(runner: StatementRunner, limit: number, before: number | null): Promise<readonly VersionSummary[]> {
    return runner.query<VersionSummary[]>(
      `SELECT version, hash, words AS steps, origin, created_by, created_at FROM schema_versions
       WHERE $2::int IS NULL OR version < $2 ORDER BY version DESC LIMIT $1`,
      [limit, before],
    );
  }

  async listPending(runner: StatementRunner): Promise<readonly PendingStatements[]> {
    return runner.query<PendingStatements[]>(
      `SELECT version, pending FROM schema_versions WHERE pending::text <> '[]' ORDER BY version`,
    );
  }

  async updatePending(runner: StatementRunner, { version, pending }: PendingStatements): Promise<void> {
    const parameters = [version, JSON.stringify(pending)];
    await runner.query('UPDATE schema_versions SET pending = $2 WHERE version = $1', parameters);
  }

  private async addParts(runner: StatementRunner, { schemas }: SchemaSnapshot, before: SchemaSnapshot): Promise<void> {
    const storedHashes =
      before.version === 0 ? new Set() : new Set(Object.values(before.schemas).map(({ hash }) => hash));
    const unknown = Object.values(schemas).filter(({ hash }) => !storedHashes.has(hash));
    for (let start = 0; start < unknown.length; start += PARTS_AT_ONCE) {
      const some = unknown.slice(start, start + PARTS_AT_ONCE);
      const rows = some.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(', ');
      // Traits belong to the release that reads the schema, so they are not stored.
      const values = some.flatMap(({ traits: _traits, ...schema }) => [schema.hash, JSON.stringify(schema)]);
      await runner.query(`INSERT INTO schema_parts (hash, body) VALUES ${rows} ON CONFLICT (hash) DO NOTHING`, values);
    }
  }

  private async restore(runner: StatementRunner, row: StoredVersion, cached: SchemaSnapshot): Promise<SchemaSnapshot> {
    const parts = new Map<string, unknown>(Object.values(cached.schemas).map((schema) => [schema.hash, schema]));
    const missing = Object.values(row.parts).filter((hash) => !parts.has(hash));
    if (missing.length > 0) {
      const rows = await runner.query<{ hash: string; body: unknown }[]>(
        'SELECT hash, body FROM schema_parts WHERE hash = ANY($1)',
        [missing],
      );
      for (const { hash, body } of rows) parts.set(hash, body);
    }
    const schemas = Object.entries(row.parts).map(([name, hash]) => [name, parts.get(hash)] as const);
    return restoreSnapshot({ ...row, schemas: Object.fromEntries(schemas) }, cached.system);
  }
}
