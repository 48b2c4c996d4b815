import { setExtraHeaders } from './authorized.js';

/** Principal whose view the console shows, until the user leaves it or reloads the page. */
export interface Viewing {
  /** Header value: `guest`, `role:<name>` or `user:<id>`. */
  readonly as: string;
  readonly name: string;
}

let viewing: Viewing | null = null;
const listeners = new Set<() => void>();

export const getViewing = (): Viewing | null => viewing;

export function setViewing(next: Viewing | null): void {
  viewing = next;
  for (const listener of listeners) listener();
}

/** Calls `listener` after each change. Returns a function that unsubscribes. */
export function onViewing(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Requests about the user's own session and account are excluded. All others are read as the principal, and cannot write.
setExtraHeaders((path) =>
  viewing === null || (path.startsWith('/api/auth/') && path !== '/api/auth/permissions')
    ? null
    : { 'Lintel-View-As': viewing.as },
);
