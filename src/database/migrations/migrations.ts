import { Foundation1700000000001 } from './1700000000001-foundation.js';

/** Every migration, oldest first. A landed one is never changed: write a new one. */
export const MIGRATIONS = [Foundation1700000000001] as const;
