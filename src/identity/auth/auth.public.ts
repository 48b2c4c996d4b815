/** Plain helpers and tables of auth that other folders use, beside its module, services, ports and types. */
export { Client, type ClientContext, Origin, originOf, SpokenLanguage } from './access/client-context.js';
export { type LaterActor, laterActor, LaterPrincipals } from './access/later-principals.service.js';
export { RoleDirectory } from './access/role-directory.js';
export { isProviderName } from './auth-settings.js';
export { type DeclaredRoute, RouteAccessInspector } from './access/route-access.inspector.js';
export { routePaths } from './access/route-paths.js';
export { type Viewed, ViewedPrincipals } from './view-as/viewed-principals.service.js';
