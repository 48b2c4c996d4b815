/** Helpers and tables that other folders may import, in addition to the module, services, ports and types of auth. */
export { Client, type ClientContext, Origin, originOf, SpokenLanguage } from './access/client-context.js';
export { type LaterActor, laterActor, LaterPrincipals } from './access/later-principals.service.js';
export { RoleDirectory } from './access/role-directory.js';
export { isProviderName } from './auth-settings.js';
export { type DeclaredRoute, RouteAccessInspector } from './access/route-access.inspector.js';
export { routePaths } from './access/route-paths.js';
export { type Viewed, ViewedPrincipals } from './view-as/viewed-principals.service.js';
