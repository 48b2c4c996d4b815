/** The guards of Lintel for other services (`lintel/guards`): no database, no HTTP server of its own. */
export { CurrentPrincipal, Public, Resource } from './identity/auth/access/access.decorators.js';
export { CurrentAccount, LintelGuard } from './edge/guards/lintel.guard.js';
export { GuardRefusal } from './edge/guards/guard-refusal.errors.js';
export type { LintelGuardOptions, RemoteAccount, RemotePrincipal } from './edge/guards/guard.types.js';
export { LintelAccess } from './edge/guards/lintel-access.service.js';
export { LintelGuardModule } from './edge/guards/lintel-guard.module.js';
export * from './kernel/principal.types.js';
