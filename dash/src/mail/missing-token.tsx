import { Page } from '../ui/page.js';
import { useTexts } from '../texts/texts.js';
import { WayOn } from '../ui/way-on.js';

export function MissingToken() {
  const { mail } = useTexts();
  return (
    <Page title={mail.openLinkTitle} lead={mail.openLinkLead}>
      <WayOn />
    </Page>
  );
}
