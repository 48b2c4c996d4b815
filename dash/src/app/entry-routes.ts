import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isSignedIn } from '../session/tokens.js';
import { withTexts } from '../texts/texts.js';
import { root, withCarrier } from './root-route.js';

const recoverPage = withTexts(
  'entry',
  withTexts('factors', () => import('../pages/recover/recover-page.js')),
);
const activatePage = withTexts('entry', () => import('../pages/activate/activate-page.js'));
// One chunk for three small pages, because each chunk adds an entry to the script of the sign-in page.
const mailLinkPages = withTexts('entry', () => import('../pages/email/pages.js'));

const register = createRoute({
  getParentRoute: () => root,
  path: '/dash/register',
  validateSearch: withCarrier,
  beforeLoad: async ({ search }) => {
    if ((await isSignedIn()) && search.cli === undefined) throw redirect({ to: '/dash', replace: true });
  },
  component: lazyRouteComponent(
    withTexts('entry', () => import('../pages/register/register-page.js')),
    'RegisterPage',
  ),
});

const recover = createRoute({
  getParentRoute: () => root,
  path: '/dash/recover',
  validateSearch: withCarrier,
  component: lazyRouteComponent(recoverPage, 'RecoverPage'),
});

const activate = createRoute({
  getParentRoute: () => root,
  path: '/dash/activate',
  validateSearch: withCarrier,
  component: lazyRouteComponent(activatePage, 'ActivatePage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/dash/setup',
  component: lazyRouteComponent(
    withTexts('setup', () => import('../pages/setup/setup-page.js')),
    'SetupPage',
  ),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/dash/invitation',
  component: lazyRouteComponent(
    withTexts('entry', () => import('../pages/invitation/invitation-page.js')),
    'InvitationPage',
  ),
});

const recoverLink = createRoute({
  getParentRoute: () => root,
  path: '/auth/local/recover',
  component: lazyRouteComponent(recoverPage, 'RecoverPage'),
});

const activateLink = createRoute({
  getParentRoute: () => root,
  path: '/auth/local/activate',
  component: lazyRouteComponent(activatePage, 'ActivatePage'),
});

const emailConfirm = createRoute({
  getParentRoute: () => root,
  path: '/auth/local/email/confirm',
  component: lazyRouteComponent(mailLinkPages, 'EmailConfirmPage'),
});

const emailCancel = createRoute({
  getParentRoute: () => root,
  path: '/auth/local/email/cancel',
  component: lazyRouteComponent(mailLinkPages, 'EmailCancelPage'),
});

const credentialRevoke = createRoute({
  getParentRoute: () => root,
  path: '/auth/credentials/revoke',
  component: lazyRouteComponent(mailLinkPages, 'CredentialRevokePage'),
});

export const entryRoutes = [
  register,
  recover,
  activate,
  setup,
  invitation,
  recoverLink,
  activateLink,
  emailConfirm,
  emailCancel,
  credentialRevoke,
] as const;
