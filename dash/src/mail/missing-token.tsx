import { Page } from '../ui/page.js';
import { RouteLink } from '../ui/route-link.js';
import { useTexts } from '../texts/texts.js';

/** Shows that a mail page was opened without what the mail's link carries. */
export function MissingToken() {
  const { frame, mail } = useTexts();
  return (
    <Page title={mail.openLinkTitle} lead={mail.openLinkLead}>
      <RouteLink to="/dash/login">{frame.toSignIn}</RouteLink>
    </Page>
  );
}
