import { useSyncExternalStore } from 'react';
import { type DueFactor, FACTOR_MISSING } from '../api/api-error.js';
import { peekCallbackParameter, takeCallbackParameter } from '../callback-parameters.js';

/** A sign-in of this tab that needs a second factor. It is kept only in memory, so a reload discards it. */
export interface WaitingSignIn extends DueFactor {
  /** Verifier of a provider sign-in that started in this tab. */
  verifier: string | null;
}

let waiting = readCallback();
const listeners = new Set<() => void>();

/** Makes the page ask for a second factor; null stops it. */
export function setWaitingSignIn(next: WaitingSignIn | null): void {
  waiting = next;
  for (const listener of listeners) listener();
}

export function useWaitingSignIn(): WaitingSignIn | null {
  return useSyncExternalStore(listen, () => waiting);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads a sign-in that a provider, or the form of an app, redirected here. */
function readCallback(): WaitingSignIn | null {
  const token = takeCallbackParameter('mfa');
  const methods = (takeCallbackParameter('methods') ?? '').split(',').filter((name) => name !== '');
  if (token === null) return null;
  return {
    token,
    methods,
    verifier: peekCallbackParameter('verifier'),
    isMissing: peekCallbackParameter('error') === FACTOR_MISSING,
  };
}
