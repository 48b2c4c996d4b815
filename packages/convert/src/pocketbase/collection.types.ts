import type { DraftSchema } from '../draft/conversion.types.js';
import type { SourceObject } from '../draft/source-object.js';

/** A collection that was read, with the ids of its fields. */
export interface Collection {
  readonly id: string;
  /** Its name in the source, by which rules know it. */
  readonly name: string;
  readonly isAuth: boolean;
  readonly source: SourceObject;
  readonly draft: DraftSchema;
  /** Ids of fields by their names in the source. */
  readonly fieldIds: ReadonlyMap<string, string>;
}
