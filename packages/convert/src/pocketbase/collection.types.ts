import type { DraftSchema } from '../draft/conversion.types.js';
import type { SourceObject } from '../draft/source-object.js';

export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly isAuth: boolean;
  readonly source: SourceObject;
  readonly draft: DraftSchema;
  readonly fieldIds: ReadonlyMap<string, string>;
}
