/** `expired`: it ended by itself, `left`: the person signed out, `deleted`: their account is gone. */
export type SessionEnd = 'expired' | 'left' | 'deleted';

/** State of the session that pages may know; the tokens are not part of it. */
export type SessionState =
  /** The service was not asked yet, or did not answer. */
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

/** Calls `listener` after each change; answers how to stop. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
