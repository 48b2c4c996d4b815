import { useState } from 'react';
import { cancelEmail } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MissingToken } from '../../mail/missing-token.js';
import { RouteLink } from '../../ui/route-link.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { useTexts } from '../../texts/texts.js';

/** Cancels a change of address with the link in the mail to the old address. All sessions are revoked. */
export function EmailCancelPage() {
  const { emailChange } = useTexts('entry');
  const token = useCallbackParameter('token');
  const [done, setDone] = useState(false);
  if (!token) return <MissingToken />;
  if (done) {
    return (
      <DonePage
        key="done"
        title={emailChange.cancelled}
        lead={
          <>
            {emailChange.cancelledLead} <RouteLink to="/dash/recover">{emailChange.newPassword}</RouteLink>.
          </>
        }
      />
    );
  }
  return (
    <MailAction
      key="ask"
      title={emailChange.cancelTitle}
      lead={emailChange.cancelLead}
      button={emailChange.cancel}
      act={() => cancelEmail(token)}
      onDone={() => setDone(true)}
    />
  );
}
