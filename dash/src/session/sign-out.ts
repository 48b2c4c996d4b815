import { ApiError } from '../api/api-error.js';
import { signOutHere } from './account-api.js';
import { mayLeave } from './shown-once.js';
import { leave } from './tokens.js';

/**
 * Revokes the session in all tabs, unless the user stays because a secret is displayed. Returns whether it was revoked.
 *
 * Throws if the service did not receive the request: the cookie would sign in the next user of this page.
 */
export async function signOut(): Promise<boolean> {
  if (!(await mayLeave())) return false;
  try {
    await signOutHere();
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 401;
    if (!isOver) throw error;
  }
  leave('left');
  return true;
}
