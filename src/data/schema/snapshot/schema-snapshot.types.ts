import type { NameHistory } from './name-history.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { SchemaModel } from '../../model/schema-model.types.js';

/** Format of stored snapshots. Increment it when the format changes. */
export const SNAPSHOT_FORMAT = 1;

/** The schemas in force: the linked model with its version, as deep-frozen plain data. */
export interface SchemaSnapshot extends SchemaModel {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Increases by one with every change; 0 before the first. */
  readonly version: number;
  /** SHA-256 of the model. Equal hashes mean equal models. */
  readonly hash: string;
  /** Schema name by name and by namespace. The object has no prototype. */
  readonly names: Readonly<Record<string, string>>;
  readonly history: NameHistory;
  /** The system schemas of this release. Never stored. */
  readonly system: SystemSchemas;
}
