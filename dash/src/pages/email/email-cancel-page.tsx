import { useState } from 'react';
import { cancelEmail } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MissingToken } from '../../mail/missing-token.js';
import { RouteLink } from '../../ui/route-link.js';
import { useArrival } from '../../ui/use-arrival.js';

/** From the notice to the old address: the change is stopped and every session ended. */
export function EmailCancelPage() {
  const token = useArrival('token');
  const [done, setDone] = useState(false);
  if (!token) return <MissingToken />;
  if (done) {
    return (
      <DonePage
        key="done"
        title="The change has been cancelled"
        lead={
          <>
            Your address stays as it was, and every session has ended. If somebody else asked for the change, they know
            your password: <RouteLink to="/dash/recover">choose a new one</RouteLink>.
          </>
        }
      />
    );
  }
  return (
    <MailAction
      key="ask"
      title="Cancel the change of address?"
      lead="Somebody asked to change the e-mail address of your account. Cancelling keeps your address and signs you out everywhere."
      button="Cancel the change"
      act={() => cancelEmail(token)}
      onDone={() => setDone(true)}
    />
  );
}
