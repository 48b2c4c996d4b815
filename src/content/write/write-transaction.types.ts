import type { EntityManager } from 'typeorm';
import type { Notify } from '../../database/change-feed.js';
import type { ContentContext } from '../content-context.service.js';

/** One request that writes: its transaction, its notices, and who asks. */
export interface WriteTransaction {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly context: ContentContext;
}
