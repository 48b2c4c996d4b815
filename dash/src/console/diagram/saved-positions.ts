import { type Positions, parsePositions } from './positions.js';

export type PositionStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (account: string, around: string | null): string => `diagram:${account}:${around ?? ''}`;

export function loadPositions(storage: PositionStorage, account: string, around: string | null): Positions {
  try {
    return parsePositions(storage.getItem(keyOf(account, around)));
  } catch {
    return {};
  }
}

/** Stores the positions; null removes them. Errors of the storage, such as an exceeded quota, are ignored. */
export function savePositions(
  storage: PositionStorage,
  account: string,
  around: string | null,
  positions: Positions | null,
): void {
  try {
    if (positions === null) storage.removeItem(keyOf(account, around));
    else storage.setItem(keyOf(account, around), JSON.stringify(positions));
  } catch {
    // The diagram is laid out again next time.
  }
}
