export type TabEvent = 'entered' | 'left' | 'proven';

const NAME = 'session';
/** Maximum time to wait for another tab, which may be frozen. */
const LOCK_TIMEOUT_MS = 3_000;

const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(NAME) : null;

export function notifyTabs(event: TabEvent): void {
  channel?.postMessage(event);
}

export function onTabEvent(listener: (event: TabEvent) => void): () => void {
  const onMessage = ({ data }: MessageEvent<TabEvent>): void => listener(data);
  channel?.addEventListener('message', onMessage);
  return () => channel?.removeEventListener('message', onMessage);
}

/**
 * Runs work in one tab at a time: a late response must not replace a newer cookie with an older one. Without browser locks, or after a
 * timeout, it runs anyway.
 */
export async function runExclusively<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work();
  let isStarted = false;
  const start = () => {
    isStarted = true;
    return work();
  };
  try {
    return await navigator.locks.request(NAME, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) }, start);
  } catch (error) {
    if (isStarted) throw error;
    return work();
  }
}
