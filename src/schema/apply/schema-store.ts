import { Injectable } from '@nestjs/common';
import type { SchemaDefinition } from '../model/schema-definition.types.js';
import { restoreSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import type { StatementRunner } from './statement-runner.types.js';

/** What a change came from. */
export type ChangeOrigin = 'api' | 'files' | 'command' | 'undo';

/** A version as it is written. */
export interface NewVersion {
  readonly snapshot: SchemaSnapshot;
  /** The steps in words. */
  readonly words: readonly string[];
  /** Statements that are due after the commit. */
  readonly pending: readonly string[];
  readonly origin: ChangeOrigin;
  /** Id of the account; null where it was not a request. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

/** A version as the history answers it. */
export interface VersionSummary {
  readonly version: number;
  readonly hash: string;
  readonly steps: readonly string[];
  readonly origin: ChangeOrigin;
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** Statements that a version still owes. */
export interface PendingStatements {
  readonly version: number;
  readonly pending: readonly string[];
}

/** The versions of the schemas in the database; every one is kept. */
@Injectable()
export class SchemaStore {
  /** The newest snapshot; `known` itself where none is newer. */
  async newest(runner: StatementRunner, known: SchemaSnapshot): Promise<SchemaSnapshot> {
    const [row] = await runner.query<{ snapshot: unknown }[]>(
      'SELECT snapshot FROM schema_versions WHERE version > $1 ORDER BY version DESC LIMIT 1',
      [known.version],
    );
    return row === undefined ? known : restoreSnapshot(row.snapshot);
  }

  /** The snapshot of one version, or null. */
  async find(runner: StatementRunner, version: number): Promise<SchemaSnapshot | null> {
    const [row] = await runner.query<{ snapshot: unknown }[]>(
      'SELECT snapshot FROM schema_versions WHERE version = $1',
      [version],
    );
    return row === undefined ? null : restoreSnapshot(row.snapshot);
  }

  /** Writes a version. */
  async add(runner: StatementRunner, { snapshot, words, pending, origin, createdBy, createdAt }: NewVersion) {
    const definitions: readonly SchemaDefinition[] = Object.values(snapshot.schemas).map((schema) => schema.definition);
    await runner.query(
      `INSERT INTO schema_versions (version, hash, snapshot, definitions, words, pending, origin, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        snapshot.version,
        snapshot.hash,
        ...[snapshot, definitions, words, pending].map((value) => JSON.stringify(value)),
        origin,
        createdBy,
        createdAt,
      ],
    );
  }

  /** Versions, newest first. @param before only those below this version. */
  async list(runner: StatementRunner, limit: number, before: number | null): Promise<readonly VersionSummary[]> {
    return runner.query<VersionSummary[]>(
      `SELECT version, hash, words AS steps, origin, created_by, created_at FROM schema_versions
       WHERE $2::int IS NULL OR version < $2 ORDER BY version DESC LIMIT $1`,
      [limit, before],
    );
  }

  /** What is owed by versions whose afterwards was not finished, oldest first. */
  async listPending(runner: StatementRunner): Promise<readonly PendingStatements[]> {
    return runner.query<PendingStatements[]>(
      `SELECT version, pending FROM schema_versions WHERE pending::text <> '[]' ORDER BY version`,
    );
  }

  /** Says what a version still owes. */
  async updatePending(runner: StatementRunner, { version, pending }: PendingStatements): Promise<void> {
    const parameters = [version, JSON.stringify(pending)];
    await runner.query('UPDATE schema_versions SET pending = $2 WHERE version = $1', parameters);
  }

  /** The hashes of the schema files that were applied, by name. */
  async fileHashes(runner: StatementRunner): Promise<ReadonlyMap<string, string>> {
    const rows = await runner.query<{ name: string; hash: string }[]>('SELECT name, hash FROM schema_files');
    return new Map(rows.map(({ name, hash }) => [name, hash]));
  }

  /** Remembers files as applied. */
  async saveFileHashes(runner: StatementRunner, hashes: ReadonlyMap<string, string>): Promise<void> {
    if (hashes.size === 0) return;
    await runner.query(
      `INSERT INTO schema_files (name, hash) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET hash = excluded.hash`,
      [[...hashes.keys()], [...hashes.values()]],
    );
  }
}
