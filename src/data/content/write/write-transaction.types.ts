import type { EntityManager } from 'typeorm';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import type { ContentContext } from '../content-context.service.js';
import type { WriteJudge } from './write-judge.js';

export interface WriteTransaction {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly context: ContentContext;
  readonly judge: WriteJudge;
  readonly request: object;
  /** Tables whose linked rows were locked before the write. Rows that are linked later are not waited for. */
  readonly lockedTables: Set<string>;
}

export interface LockedRecord {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Changes with every update of the row. */
  readonly version: string;
}
