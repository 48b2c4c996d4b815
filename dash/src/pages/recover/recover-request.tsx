import { requestRecovery } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { Links } from '../../ui/links.js';
import { MailRequestForm } from '../../mail/mail-request-form.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';
import { useTexts } from '../../texts/texts.js';

/** Shows the first step: which account. */
export function RecoverRequest({ onSent }: { onSent: (sent: MailRequested, email: string) => void }) {
  const { recover, frame, mail } = useTexts('entry');
  return (
    <Page title={recover.title} lead={recover.lead}>
      <MailRequestForm label={recover.requestForm} button={mail.send} send={requestRecovery} onSent={onSent} />
      <Links>
        <RouteLink to="/dash/login" search={useWayBack()}>
          {frame.backToSignIn}
        </RouteLink>
      </Links>
    </Page>
  );
}
