import { ApiError } from '../api/api-error.js';
import { signOutHere } from './account-api.js';
import { canLeave } from './shown-once.js';
import { clearSession } from './tokens.js';

/**
 * Revokes the session in all tabs, unless the user stays because a secret is displayed. Returns whether it was revoked.
 *
 * Throws if the service did not receive the request: the cookie would sign in the next user of this page.
 */
export async function signOut(): Promise<boolean> {
  if (!(await canLeave())) return false;
  try {
    await signOutHere();
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 401;
    if (!isOver) throw error;
  }
  clearSession('left');
  return true;
}
