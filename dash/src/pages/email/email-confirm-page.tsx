import { useState } from 'react';
import { confirmEmail } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MissingToken } from '../../mail/missing-token.js';
import { useArrival } from '../../ui/use-arrival.js';

/** From the mail to the new address: the change is confirmed. */
export function EmailConfirmPage() {
  const token = useArrival('token');
  const [done, setDone] = useState(false);
  if (!token) return <MissingToken />;
  if (done)
    return <DonePage key="done" title="Your e-mail address has been changed" lead="Use the new address from now on." />;
  return (
    <MailAction
      key="ask"
      title="Confirm your new address"
      lead="Your account will use this address from now on. If you did not ask for this, close this page."
      button="Confirm new address"
      act={() => confirmEmail(token)}
      onDone={() => setDone(true)}
    />
  );
}
