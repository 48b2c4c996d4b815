import { sayMore } from './authorized.js';

/** As whom the console looks at everything (CONTRACT §14), until it is left or loaded anew. */
export interface Viewing {
  /** As the service is told: `guest`, `role:<name>` or `user:<id>`. */
  readonly as: string;
  /** As people call them. */
  readonly name: string;
}

let viewing: Viewing | null = null;
const listeners = new Set<() => void>();

export const getViewing = (): Viewing | null => viewing;

export function setViewing(next: Viewing | null): void {
  viewing = next;
  for (const listener of listeners) listener();
}

/** Calls `listener` after each change; answers how to stop. */
export function onViewing(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// What is about one's own session and account stays one's own; all else is read as them, and nothing written. */
sayMore((path) =>
  viewing === null || (path.startsWith('/api/auth/') && path !== '/api/auth/permissions')
    ? null
    : { 'Lintel-View-As': viewing.as },
);
