import { requestRecovery } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { Links } from '../../ui/links.js';
import { MailRequestForm } from '../../mail/mail-request-form.js';
import { Page } from '../../ui/page.js';
import { NextLink } from '../../ui/next-link.js';
import { useTexts } from '../../texts/texts.js';

export function RecoverRequest({ onSent }: { onSent: (sent: MailRequested, email: string) => void }) {
  const { recover, frame, mail } = useTexts('entry');
  return (
    <Page title={recover.title} lead={recover.lead}>
      <MailRequestForm label={recover.requestForm} button={mail.send} send={requestRecovery} onSent={onSent} />
      <Links>
        <NextLink guestLabel={frame.backToSignIn} />
      </Links>
    </Page>
  );
}
