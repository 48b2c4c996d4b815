import { useSyncExternalStore } from 'react';
import { getSessionState, onSessionChange, type SessionState } from './session-state.js';

/** Returns whether somebody is signed in, and why not. */
export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, getSessionState);
}
