import { Page } from '../ui/page.js';
import { RouteLink } from '../ui/route-link.js';

/** The address at which the service has nothing, although there is a page for such an address; null anywhere else. */
export const NOWHERE = document.querySelector('meta[name="page"][content="none"]') ? window.location.pathname : null;

/** For an address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or the page has moved.">
      <RouteLink to="/dash/login">Go to sign-in</RouteLink>
    </Page>
  );
}
