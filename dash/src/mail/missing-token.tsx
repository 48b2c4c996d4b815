import { Page } from '../ui/page.js';
import { RouteLink } from '../ui/route-link.js';

/** For a mail page that was opened without what the mail's link carries. */
export function MissingToken() {
  return (
    <Page
      title="Open the link from the e-mail"
      lead="The address of this page is incomplete, or it was opened before. Open the link in the e-mail once more."
    >
      <RouteLink to="/dash/login">Go to sign-in</RouteLink>
    </Page>
  );
}
