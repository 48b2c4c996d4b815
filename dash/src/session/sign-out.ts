import { ApiError } from '../api/api-error.js';
import { signOutHere } from './account-api.js';
import { leave } from './tokens.js';

/**
 * Ends the session, and forgets it in every tab.
 *
 * Throws if the service did not hear of it: the cookie would sign the next person in who opens this page.
 */
export async function signOut(): Promise<void> {
  try {
    await signOutHere();
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 401;
    if (!isOver) throw error;
  }
  leave('left');
}
