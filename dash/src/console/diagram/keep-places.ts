import { type Places, readPlaces } from './places.js';

/** Storage of places: that of a browser. */
export type PlaceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (account: string, around: string | null): string => `diagram:${account}:${around ?? ''}`;

/** Returns where somebody has put boxes, in the diagram of everything or around a schema. */
export function keptPlaces(storage: PlaceStorage, account: string, around: string | null): Places {
  try {
    return readPlaces(storage.getItem(keyOf(account, around)));
  } catch {
    return {};
  }
}

/** Keeps where boxes are; null forgets it. If there is no room, it is not kept. */
export function keepPlaces(storage: PlaceStorage, account: string, around: string | null, places: Places | null): void {
  try {
    if (places === null) storage.removeItem(keyOf(account, around));
    else storage.setItem(keyOf(account, around), JSON.stringify(places));
  } catch {
    // They are laid out anew next time.
  }
}
