import { Foundation1700000000001 } from './1700000000001-foundation.js';
import { OneTimeSecrets1700000000003 } from './1700000000003-one-time-secrets.js';

/** Every migration, oldest first. A landed one is never changed: write a new one. */
export const MIGRATIONS = [Foundation1700000000001, OneTimeSecrets1700000000003] as const;
