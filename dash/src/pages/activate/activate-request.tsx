import { sendActivation } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { Links } from '../../ui/links.js';
import { MailRequestForm } from '../../mail/mail-request-form.js';
import { Page } from '../../ui/page.js';
import { NextLink } from '../../ui/next-link.js';
import { useTexts } from '../../texts/texts.js';

export function ActivateRequest({ onSent }: { onSent: (sent: MailRequested, email: string) => void }) {
  const { activate, frame, mail } = useTexts('entry');
  return (
    <Page title={activate.title} lead={activate.requestLead}>
      <MailRequestForm label={activate.requestForm} button={mail.send} send={sendActivation} onSent={onSent} />
      <Links>
        <NextLink guestLabel={frame.backToSignIn} />
      </Links>
    </Page>
  );
}
