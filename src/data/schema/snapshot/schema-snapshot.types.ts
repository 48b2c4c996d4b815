import type { NameHistory } from './name-history.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { SchemaModel } from '../../model/schema-model.types.js';

/** Form of a stored snapshot; a release that writes another form counts it up. */
export const SNAPSHOT_FORMAT = 1;

/** The schemas in force: the linked model with its version, deep-frozen plain data. */
export interface SchemaSnapshot extends SchemaModel {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Counts up by one with every change; 0 before the first. */
  readonly version: number;
  /** SHA-256 over the model: equal hashes are equal models. */
  readonly hash: string;
  /** The name of the schema for every name and every namespace; the record has no prototype. */
  readonly names: Readonly<Record<string, string>>;
  readonly history: NameHistory;
  /** The system schemas of this release; never stored. */
  readonly system: SystemSchemas;
}
