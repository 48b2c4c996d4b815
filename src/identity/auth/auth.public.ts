/** Helpers and tables that other folders may import, in addition to the module, services, ports and types of auth. */
export {
  Browser,
  type BrowserContext,
  Client,
  type ClientContext,
  MAX_REMEMBERED,
  Origin,
  originOf,
  REMEMBERED_COOKIE,
  RequestLanguage,
} from './access/client-context.js';
export { isSameSiteRequest } from './access/cross-site.js';
export { type JobActor, jobActor, JobPrincipals } from './access/job-principals.service.js';
export { RoleDirectory } from './access/role-directory.js';
export { isProviderName } from './auth-settings.js';
export { type DeclaredRoute, RouteAccessInspector, routePaths } from './access/route-access.inspector.js';
export { SESSION_TOPIC, SessionDirectory } from './sessions/session-directory.js';
export { type Viewed, ViewedPrincipals } from './view-as/viewed-principals.service.js';
