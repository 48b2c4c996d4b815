import { Injectable } from '@nestjs/common';
import type { StatementRunner } from '../plan/plan.types.js';

/** A file that is to be written once the change is committed. */
export interface PendingFile {
  /** Name within the directory of the schema files. */
  readonly name: string;
  /** Name of the file beside it that takes its place; null where the file is to go. */
  readonly temporary: string | null;
  /** Hash of the file that is replaced; null where there was none. A file that is another one by now is left alone. */
  readonly formerHash: string | null;
  /** Hash of the new file; null where the file is to go. */
  readonly hash: string | null;
}

/** Stores the state of the schema files: as which they were last read or written, and which are still to be written. */
@Injectable()
export class SchemaFileStore {
  /** The hashes of the files as they were last applied or written, by name. */
  async hashes(runner: StatementRunner): Promise<ReadonlyMap<string, string>> {
    const rows = await runner.query<{ name: string; hash: string }[]>('SELECT name, hash FROM schema_files');
    return new Map(rows.map(({ name, hash }) => [name, hash]));
  }

  /** Remembers files as they are; null for one that is no more. */
  async remember(runner: StatementRunner, hashes: ReadonlyMap<string, string | null>): Promise<void> {
    const there = [...hashes].filter(([, hash]) => hash !== null);
    const gone = [...hashes].filter(([, hash]) => hash === null);
    if (there.length > 0) {
      await runner.query(
        `INSERT INTO schema_files (name, hash) SELECT * FROM unnest($1::text[], $2::text[])
         ON CONFLICT (name) DO UPDATE SET hash = excluded.hash`,
        [there.map(([name]) => name), there.map(([, hash]) => hash)],
      );
    }
    if (gone.length > 0) {
      await runner.query('DELETE FROM schema_files WHERE name = ANY($1)', [gone.map(([name]) => name)]);
    }
  }

  /** Notes in the transaction of a change which files are still to be written. */
  async addPending(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    for (const { name, temporary, formerHash, hash } of files) {
      await runner.query(
        `INSERT INTO schema_file_writes (name, temporary, former_hash, hash) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name) DO UPDATE SET temporary = $2, former_hash = $3, hash = $4`,
        [name, temporary, formerHash, hash],
      );
    }
  }

  /** The files that are still to be written. */
  async pending(runner: StatementRunner): Promise<readonly PendingFile[]> {
    return runner.query<PendingFile[]>(
      `SELECT name, temporary, former_hash AS "formerHash", hash FROM schema_file_writes ORDER BY name`,
    );
  }

  /** Says that files were written. */
  async settle(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    await this.remember(runner, new Map(files.map(({ name, hash }) => [name, hash])));
    await this.forget(runner, files);
  }

  /** Says that files need not be written any more; what another change owes by now stays owed. */
  async forget(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    for (const { name, temporary } of files) {
      await runner.query('DELETE FROM schema_file_writes WHERE name = $1 AND temporary IS NOT DISTINCT FROM $2', [
        name,
        temporary,
      ]);
    }
  }
}
