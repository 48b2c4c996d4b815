import { useSyncExternalStore } from 'react';
import { type DueFactor, FACTOR_MISSING } from '../api/api-error.js';
import { peekCallbackParameter, takeCallbackParameter } from '../callback-parameters.js';

/** A sign-in of this tab that is right so far. It is in no storage: whoever reloads the page signs in again. */
export interface WaitingSignIn extends DueFactor {
  /** Proof that a sign-in at a provider was begun in this tab. */
  verifier: string | null;
}

let waiting = readCallback();
const listeners = new Set<() => void>();

/** Has the page ask for the second factor of a sign-in; null: for none any more. */
export function setWaitingSignIn(next: WaitingSignIn | null): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Returns the sign-in that waits for its second factor, or null. */
export function useWaitingSignIn(): WaitingSignIn | null {
  return useSyncExternalStore(listen, () => waiting);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a provider, or the form of an app, sent the browser here. */
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
