import { type Places, readPlaces } from './places.js';

export type PlaceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (account: string, around: string | null): string => `diagram:${account}:${around ?? ''}`;

export function keptPlaces(storage: PlaceStorage, account: string, around: string | null): Places {
  try {
    return readPlaces(storage.getItem(keyOf(account, around)));
  } catch {
    return {};
  }
}

/** Stores the positions; null removes them. Errors of the storage, such as an exceeded quota, are ignored. */
export function keepPlaces(storage: PlaceStorage, account: string, around: string | null, places: Places | null): void {
  try {
    if (places === null) storage.removeItem(keyOf(account, around));
    else storage.setItem(keyOf(account, around), JSON.stringify(places));
  } catch {
    // The diagram is laid out again next time.
  }
}
