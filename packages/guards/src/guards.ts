/** The guards of Lintel for other NestJS services (`@lintel/guards`, and `lintel/guards`). */
export { API_KEY_MARK, apiKeyChecksum, isApiKey } from './api-key-text.js';
export { GuardRefusal } from './guard-refusal.errors.js';
export type {
  GuestPrincipal,
  LintelGuardOptions,
  OwnClaims,
  RemoteAccount,
  RemotePrincipal,
  RoutePatterns,
} from './guard.types.js';
export { CurrentAccount, CurrentPrincipal, LintelGuard } from './lintel.guard.js';
export { LintelAccess } from './lintel-access.service.js';
export { LintelGuardModule } from './lintel-guard.module.js';
export { requestOf } from './request-of.js';
export {
  Authenticated,
  DeclaresAccess,
  Public,
  Resource,
  type RouteAccess,
  routeAccessOf,
} from './route-access.decorators.js';
