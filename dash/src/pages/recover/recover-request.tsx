import { requestRecovery } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { Links } from '../../ui/links.js';
import { MailRequestForm } from '../../mail/mail-request-form.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';

/** The first step: which account. */
export function RecoverRequest({ onSent }: { onSent: (sent: MailRequested, email: string) => void }) {
  return (
    <Page
      title="Forgot your password?"
      lead="Enter the e-mail address of your account. We will send you an e-mail to choose a new password."
    >
      <MailRequestForm label="Ask for a new password" button="Send e-mail" send={requestRecovery} onSent={onSent} />
      <Links>
        <RouteLink to="/dash/login" search={useWayBack()}>
          Back to sign-in
        </RouteLink>
      </Links>
    </Page>
  );
}
