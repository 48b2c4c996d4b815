import type { ChangeFeed } from '../../database/change-feed.js';
import { ALLOW_LONG_STATEMENTS } from '../../database/data-source.js';
import type { ContentContext } from '../content-context.service.js';
import { toContentFault } from './content-faults.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Runs a request that writes in one transaction; what the database refuses is told in our words. */
export async function inTransaction<T>(
  changes: ChangeFeed,
  context: ContentContext,
  isDelete: boolean,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await changes.transaction(async (manager, notify) => {
      await manager.query(ALLOW_LONG_STATEMENTS);
      return work({ manager, notify, context });
    });
  } catch (error) {
    throw toContentFault(error, context.snapshot, isDelete);
  }
}
