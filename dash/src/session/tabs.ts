export type Told = 'entered' | 'left' | 'proven';

const NAME = 'session';
/** Maximum time to wait for another tab, which may be frozen. */
const PATIENCE_MS = 3_000;

const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(NAME) : null;

export function tellTabs(what: Told): void {
  channel?.postMessage(what);
}

export function onTold(listener: (what: Told) => void): () => void {
  const onMessage = ({ data }: MessageEvent<Told>): void => listener(data);
  channel?.addEventListener('message', onMessage);
  return () => channel?.removeEventListener('message', onMessage);
}

/**
 * Runs work in one tab at a time: a late response must not replace a newer cookie with an older one. Without browser locks, or after a
 * timeout, it runs anyway.
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
