/** `expired`: the session ended, `left`: the user signed out, `deleted`: the account was deleted. */
export type SessionEnd = 'expired' | 'left' | 'deleted';

export type SessionState =
  /** `unknown`: the service has not responded yet. */
  { status: 'unknown' } | { status: 'signed-in'; account: string } | { status: 'signed-out'; why: SessionEnd | null };

let state: SessionState = { status: 'unknown' };
const listeners = new Set<() => void>();

export function getSessionState(): SessionState {
  return state;
}

export function setSessionState(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Calls `listener` after each change. Returns a function that unsubscribes. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
