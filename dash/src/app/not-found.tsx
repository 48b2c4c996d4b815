import { Page } from '../ui/page.js';
import { RouteLink } from '../ui/route-link.js';

/** For an address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or the page has moved.">
      <RouteLink to="/dash/login">Go to sign-in</RouteLink>
    </Page>
  );
}
