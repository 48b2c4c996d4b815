import { useSyncExternalStore } from 'react';
import { getSessionState, onSessionChange, type SessionState } from './session-state.js';

export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, getSessionState);
}
