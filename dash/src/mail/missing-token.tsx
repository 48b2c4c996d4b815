import { Page } from '../ui/page.js';
import { useTexts } from '../texts/texts.js';
import { NextLink } from '../ui/next-link.js';

export function MissingToken() {
  const { mail } = useTexts();
  return (
    <Page title={mail.openLinkTitle} lead={mail.openLinkLead}>
      <NextLink />
    </Page>
  );
}
