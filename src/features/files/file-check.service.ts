import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FileStorage, ObjectMissing } from './storage/file-storage.port.js';

export interface FileFault {
  readonly fault:
    | 'object_without_row'
    | 'row_without_object'
    | 'file_without_object'
    | 'size_differs'
    | 'sha256_differs';
  /** Key of the object; the id of the file for `file_without_object`. */
  readonly id: string;
  readonly detail: string;
}

export interface FileReport {
  readonly objects: number;
  readonly rows: number;
  readonly faults: readonly FileFault[];
}

interface LiveRow {
  readonly id: string;
  readonly fileId: string;
  readonly size: string;
  readonly sha256: string;
}

const BATCH = 1_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

const FIND_EXISTING = 'SELECT id FROM file_objects WHERE id = ANY($1::uuid[])';
const LIVE = `SELECT id, file_id AS "fileId", size::text, sha256 FROM file_objects
  WHERE state = 'live' AND disk = $1 AND id > $2 ORDER BY id LIMIT ${BATCH}`;
const STILL_LIVE = `SELECT 1 FROM file_objects WHERE id = $1 AND state = 'live'`;
const BARE = `SELECT f.id, f.name FROM files f WHERE f.deleted_at IS NULL AND f.id > $1
  AND NOT EXISTS (SELECT 1 FROM file_objects o WHERE o.file_id = f.id AND o.state = 'live') ORDER BY f.id LIMIT ${BATCH}`;

/**
 * Compares the storage with the database in both directions, without changes. It can run beside a service. Before it reports an object, it
 * checks again whether the object was written or removed meanwhile.
 */
@Injectable()
export class FileCheck {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  /** @param options `reads`: whether all bytes are read and compared with their digest. */
  async run({ reads }: { readonly reads: boolean }): Promise<FileReport> {
    const faults: FileFault[] = [];
    const objects = await this.checkObjects(faults);
    const rows = await this.checkRows(reads, faults);
    await this.checkFiles(faults);
    return { objects, rows, faults };
  }

  /**
   * Finds objects without a row, and returns the number of objects. A row is written before its object and deleted after it. An object that still exists after its row was not
   * found therefore has no row.
   */
  private async checkObjects(faults: FileFault[]): Promise<number> {
    const suspects = new Set<string>();
    let objects = 0;
    let batch: string[] = [];
    const compare = async (): Promise<void> => {
      const existing = await this.dataSource.query<{ id: string }[]>(FIND_EXISTING, [batch]);
      const ids = new Set(existing.map(({ id }) => id));
      for (const key of batch) if (!ids.has(key)) suspects.add(key);
      batch = [];
    };
    for await (const { key } of this.storage.list()) {
      objects += 1;
      if (batch.push(key) >= BATCH) await compare();
    }
    await compare();
    if (suspects.size === 0) return objects;
    for await (const { key, size } of this.storage.list())
      if (suspects.has(key)) faults.push({ fault: 'object_without_row', id: key, detail: `${size} bytes` });
    return objects;
  }

  private async checkRows(reads: boolean, faults: FileFault[]): Promise<number> {
    let rows = 0;
    for (let last = FIRST; ;) {
      const live = await this.dataSource.query<LiveRow[]>(LIVE, [this.storage.disk(), last]);
      for (const row of live) {
        const fault = await this.faultOf(row, reads);
        // It may have been replaced and removed meanwhile.
        if (fault !== null && (await this.isLive(row.id))) faults.push(fault);
      }
      rows += live.length;
      if (live.length < BATCH) return rows;
      last = live.at(-1)?.id ?? last;
    }
  }

  private async faultOf({ id, fileId, size, sha256 }: LiveRow, reads: boolean): Promise<FileFault | null> {
    const found = await this.storage.find(id);
    if (found === null)
      return { fault: 'row_without_object', id, detail: `the content of the file ${fileId} is missing` };
    if (String(found.size) !== size)
      return { fault: 'size_differs', id, detail: `the file ${fileId} has ${found.size} bytes instead of ${size}` };
    if (!reads) return null;
    const digest = await this.digestOf(id);
    if (digest === sha256) return null;
    return {
      fault: 'sha256_differs',
      id,
      detail: `the file ${fileId} has the SHA-256 ${digest ?? 'nothing'} instead of ${sha256}`,
    };
  }

  private async digestOf(key: string): Promise<string | null> {
    try {
      const hash = createHash('sha256');
      for await (const part of await this.storage.read(key)) hash.update(part as Uint8Array);
      return hash.digest('hex');
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  private async isLive(id: string): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(STILL_LIVE, [id])).length > 0;
  }

  private async checkFiles(faults: FileFault[]): Promise<void> {
    for (let last = FIRST; ;) {
      const bare = await this.dataSource.query<{ id: string; name: string }[]>(BARE, [last]);
      for (const { id, name } of bare) faults.push({ fault: 'file_without_object', id, detail: name });
      if (bare.length < BATCH) return;
      last = bare.at(-1)?.id ?? last;
    }
  }
}
