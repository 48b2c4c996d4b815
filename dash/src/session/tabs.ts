/** Messages of one tab of this browser to the others. */
export type Told = 'entered' | 'left' | 'proven';

const NAME = 'session';
/** For how long a tab waits for another one, which may be frozen. */
const PATIENCE_MS = 3_000;

const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(NAME) : null;

/** Tells the other tabs that somebody signed in, or out, or that the link of a mail did what it is for. */
export function tellTabs(what: Told): void {
  channel?.postMessage(what);
}

/** Calls `listener` with what other tabs tell; answers how to stop. */
export function onTold(listener: (what: Told) => void): () => void {
  const hear = ({ data }: MessageEvent<Told>): void => listener(data);
  channel?.addEventListener('message', hear);
  return () => channel?.removeEventListener('message', hear);
}

/**
 * Does the work of one tab after that of another: an answer that comes late must not put an older cookie in the place of
 * a newer one. If the browser has no locks, or the other tab does not come to an end, it is done all the same.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work();
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  try {
    return await navigator.locks.request(NAME, { signal: AbortSignal.timeout(PATIENCE_MS) }, begin);
  } catch (error) {
    if (begun) throw error;
    return work();
  }
}
