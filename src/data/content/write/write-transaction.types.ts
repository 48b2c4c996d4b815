import type { EntityManager } from 'typeorm';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import type { ContentContext } from '../content-context.service.js';
import type { WriteJudge } from './write-judge.js';

/** One request that writes: its transaction, its notices, who asks and who judges what is touched. */
export interface WriteTransaction {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly context: ContentContext;
  readonly judge: WriteJudge;
  /** Stands for the request in the events of its writes. */
  readonly request: object;
  /** Tables of which the linked rows were locked before the write. Rows that are linked later are not waited for. */
  readonly lockedTables: Set<string>;
}

/** A record as it is before a change, kept from being changed by others. */
export interface LockedRecord {
  readonly id: string;
  /** Its own values, in the forms of JSON. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Version, which is another after every change. */
  readonly version: string;
}
