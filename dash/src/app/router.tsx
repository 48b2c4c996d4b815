import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BASE_PATH } from '../api/base-path.js';
import type { ListSearch } from '../console/data/list-address.js';
import type { AccessSearch } from '../console/access/access-model.js';
import type { ModelSearch } from '../console/model/model-api.js';
import type { ServiceSearch } from '../console/service/audit-query.js';
import { peekCallbackParameter } from '../callback-parameters.js';
import { getSessionState } from '../session/session-state.js';
import { withPasskeys } from '../pages/login/with-passkeys.js';
import { isSignedIn } from '../session/tokens.js';
import { withTexts } from '../texts/texts.js';
import { Loading } from '../ui/loading.js';
import { entryRoutes } from './entry-routes.js';
import { Failed } from './failed.js';
import { root, withCarrier } from './root-route.js';

/** Redirects guests to the sign-in page. Without a response of the service, the page shows the error. */
async function signedInOnly(): Promise<void> {
  await isSignedIn();
  if (getSessionState().status === 'signed-out') throw redirect({ to: '/dash/login', replace: true });
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/dash',
  beforeLoad: async () => {
    if (!(await isSignedIn())) throw redirect({ to: '/dash/login', replace: true });
    const { findFirstPage } = await import('../console/frame/first-page.js');
    throw redirect({ to: await findFirstPage(), replace: true });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/dash/login',
  validateSearch: withCarrier,
  beforeLoad: async ({ search }) => {
    // A completed provider sign-in replaces the previous session.
    if (peekCallbackParameter('code') !== null) return;
    if ((await isSignedIn()) && search.cli === undefined) throw redirect({ to: '/dash', replace: true });
  },
  component: lazyRouteComponent(
    withPasskeys(() => import('../pages/login/login-page.js')),
    'LoginPage',
  ),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/dash/account',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(
    withTexts('account', () => import('../pages/account/account-page.js')),
    'AccountPage',
  ),
});

const serviceAccounts = createRoute({
  getParentRoute: () => root,
  path: '/dash/service-accounts',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(
    withTexts('account', () => import('../pages/service-accounts/service-accounts-page.js')),
    'ServiceAccountsPage',
  ),
});

const recordPages = withTexts('records', () => import('../console/records/pages.js'));

const records = createRoute({
  getParentRoute: () => root,
  path: '/dash/records',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(recordPages, 'RecordsPage'),
});

const recordList = createRoute({
  getParentRoute: () => root,
  path: '/dash/records/$schema',
  beforeLoad: signedInOnly,
  // All values are strings, which the page parses.
  validateSearch: (search: Record<string, unknown>): ListSearch => search,
  component: lazyRouteComponent(recordPages, 'ListPage'),
});

const record = createRoute({
  getParentRoute: () => root,
  path: '/dash/records/$schema/$id',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(recordPages, 'RecordPage'),
});

const model = createRoute({
  getParentRoute: () => root,
  path: '/dash/model',
  beforeLoad: signedInOnly,
  validateSearch: (search: Record<string, unknown>): ModelSearch => search,
  component: lazyRouteComponent(
    withTexts(
      'model',
      withTexts('account', () => import('../console/model/model-page.js')),
    ),
    'ModelPage',
  ),
});

const schema = createRoute({
  getParentRoute: () => root,
  path: '/dash/model/$schema',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(
    withTexts(
      'model',
      withTexts('account', () => import('../console/model/schema-page.js')),
    ),
    'SchemaPage',
  ),
});

const access = createRoute({
  getParentRoute: () => root,
  path: '/dash/access',
  beforeLoad: signedInOnly,
  validateSearch: (search: Record<string, unknown>): AccessSearch => search,
  component: lazyRouteComponent(
    withTexts(
      'model',
      withTexts('account', () => import('../console/access/access-page.js')),
    ),
    'AccessPage',
  ),
});

const accountPages = withTexts(
  'people',
  withTexts('account', () => import('../console/people/pages.js')),
);

const people = createRoute({
  getParentRoute: () => root,
  path: '/dash/people',
  beforeLoad: signedInOnly,
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (typeof q === 'string' ? { q } : {}),
  component: lazyRouteComponent(accountPages, 'PeoplePage'),
});

const person = createRoute({
  getParentRoute: () => root,
  path: '/dash/people/$id',
  beforeLoad: signedInOnly,
  component: lazyRouteComponent(accountPages, 'PersonPage'),
});

const service = createRoute({
  getParentRoute: () => root,
  path: '/dash/service',
  beforeLoad: signedInOnly,
  validateSearch: (search: Record<string, unknown>): ServiceSearch => search,
  component: lazyRouteComponent(
    withTexts(
      'service',
      withTexts('account', () => import('../console/service/service-page.js')),
    ),
    'ServicePage',
  ),
});

const routeTree = root.addChildren([
  home,
  login,
  account,
  serviceAccounts,
  records,
  recordList,
  record,
  model,
  schema,
  access,
  people,
  person,
  service,
  ...entryRoutes,
]);

/** Query parameters are plain strings, so that a carrier is never parsed as JSON. */
export const router = createRouter({
  routeTree,
  basepath: BASE_PATH === '' ? '/' : BASE_PATH,
  defaultPendingComponent: Loading,
  defaultErrorComponent: Failed,
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ).toString();
    return text && `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
