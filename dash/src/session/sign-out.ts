import { authorized } from './authorized.js';
import { getSessionState } from './session-state.js';
import { endSession } from './tokens.js';

/** Ends the session in the service and forgets it here, also when the service cannot be reached. */
export async function signOut(): Promise<void> {
  try {
    await authorized('POST', '/api/auth/logout');
  } catch {
    // Without an answer the tokens are forgotten all the same; the service ends them in their time.
  }
  if (getSessionState().status === 'signed-in') endSession('left');
}
