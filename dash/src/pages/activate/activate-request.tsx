import { sendActivation } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { Links } from '../../ui/links.js';
import { MailRequestForm } from '../../mail/mail-request-form.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';

/** Asks for the activation mail once more. */
export function ActivateRequest({ onSent }: { onSent: (sent: MailRequested, email: string) => void }) {
  return (
    <Page
      title="Activate your account"
      lead="Enter the e-mail address you registered with. We will send the activation e-mail again."
    >
      <MailRequestForm
        label="Ask for the activation e-mail"
        button="Send e-mail"
        send={sendActivation}
        onSent={onSent}
      />
      <Links>
        <RouteLink to="/dash/login" search={useWayBack()}>
          Back to sign-in
        </RouteLink>
      </Links>
    </Page>
  );
}
