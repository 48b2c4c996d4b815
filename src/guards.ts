/** The guards of Lintel for other services (`lintel/guards`): the package `@lintel/guards`. */
export * from '../packages/guards/src/guards.js';
import type { OwnClaims as DeclaredClaims } from './kernel/principal.types.js';

declare module '../packages/guards/src/guard.types.js' {
  /** A service that has the package `lintel` declares the claims once, for both. */
  interface OwnClaims extends DeclaredClaims {}
}
