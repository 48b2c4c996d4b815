import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { ReadableFile } from '../file-objects.service.js';

/** Time for which a crashed instance blocks the others. */
const CLAIM_MS = 60_000;
/** Time until the next attempt after the process failed. */
const RETRY_MS = 600_000;

const FIND = `SELECT v.is_refused AS "isRefused", v.claimed_until > $3 AS "isClaimed", v.claimed_until IS NULL AS "isFinal",
    o.id, o.type, o.size::text, o.sha256
  FROM file_variants v LEFT JOIN file_objects o ON o.id = v.object_id AND o.state = 'variant'
  WHERE v.source_id = $1 AND v.recipe = $2`;
const CLAIM = `INSERT INTO file_variants (source_id, recipe, is_refused, claimed_until)
  SELECT id, $2, FALSE, $3 FROM file_objects WHERE id = $1 AND state = 'live'
  ON CONFLICT (source_id, recipe) DO UPDATE SET is_refused = FALSE, claimed_until = $3
  WHERE file_variants.object_id IS NULL AND file_variants.claimed_until <= $4 RETURNING source_id`;
const RELEASE = 'DELETE FROM file_variants WHERE source_id = $1 AND recipe = $2 AND object_id IS NULL';
const REFUSE = `UPDATE file_variants SET is_refused = TRUE, claimed_until = $3
  WHERE source_id = $1 AND recipe = $2 AND object_id IS NULL`;
const FORGET = 'DELETE FROM file_variants WHERE object_id = $1';
/** Locks the file, as removal and replacement do. Either they doom the variant, or this statement does not create it. */
const FINISH = `WITH source AS (
    SELECT f.id FROM files f JOIN file_objects o ON o.file_id = f.id WHERE o.id = $1 AND o.state = 'live' FOR NO KEY UPDATE OF f),
  variant AS (UPDATE file_variants v SET object_id = $3, is_refused = FALSE, claimed_until = NULL FROM source
    WHERE v.source_id = $1 AND v.recipe = $2 AND v.object_id IS NULL RETURNING v.object_id),
  measured AS (UPDATE files f SET width = $7, height = $8 FROM source WHERE f.id = source.id AND f.width IS NULL)
  UPDATE file_objects o SET state = 'variant', size = $4, sha256 = $5, type = $6, recognised = $6, due_at = NULL
  FROM variant WHERE o.id = variant.object_id AND o.state = 'pending' RETURNING o.id`;

const IS_LIVE = `SELECT 1 FROM file_objects WHERE id = $1 AND state = 'live'`;

interface VariantRow {
  readonly isRefused: boolean;
  readonly isClaimed: boolean | null;
  readonly isFinal: boolean;
  readonly id: string | null;
  readonly type: string;
  readonly size: string;
  readonly sha256: string;
}

export interface VariantKey {
  readonly sourceId: string;
  readonly recipe: string;
}

export type VariantObject = Pick<ReadableFile, 'type' | 'size' | 'sha256'> & { readonly id: string };

@Injectable()
export class ImageVariants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `image_invalid` for an image that could not be created. */
  async find({ sourceId, recipe }: VariantKey): Promise<VariantObject | 'none' | 'claimed'> {
    const [row] = await this.dataSource.query<VariantRow[]>(FIND, [sourceId, recipe, this.clock.now()]);
    if (row === undefined) return 'none';
    const { isRefused, isClaimed, isFinal, id, type, size, sha256 } = row;
    if (id !== null) return { id, type, size: Number(size), sha256 };
    if (isRefused && (isFinal || isClaimed === true)) throw new AppError('image_invalid');
    return isClaimed === true ? 'claimed' : 'none';
  }

  /** Returns whether the caller must create the variant; false for an original that is no longer live. */
  async claim({ sourceId, recipe }: VariantKey): Promise<boolean> {
    const now = this.clock.nowMs();
    const values = [sourceId, recipe, new Date(now + CLAIM_MS), new Date(now)];
    return (await this.dataSource.query<unknown[]>(CLAIM, values)).length > 0;
  }

  async release({ sourceId, recipe }: VariantKey): Promise<void> {
    await this.dataSource.query(RELEASE, [sourceId, recipe]);
  }

  async refuse({ sourceId, recipe }: VariantKey, isFinal: boolean): Promise<void> {
    const again = isFinal ? null : new Date(this.clock.nowMs() + RETRY_MS);
    await this.dataSource.query(REFUSE, [sourceId, recipe, again]);
  }

  /** @returns false if the original is no longer live, or another instance was faster. */
  async finish(
    { sourceId, recipe }: VariantKey,
    { id, type, size, sha256 }: VariantObject,
    original: { readonly width: number; readonly height: number },
  ): Promise<boolean> {
    const values = [sourceId, recipe, id, size, sha256, type, original.width, original.height];
    const [rows] = await this.dataSource.query<[unknown[]]>(FINISH, values);
    return rows.length > 0;
  }

  /** The next request creates it again. */
  async forget(objectId: string): Promise<void> {
    await this.dataSource.query(FORGET, [objectId]);
  }

  async isLive(sourceId: string): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(IS_LIVE, [sourceId])).length > 0;
  }
}
