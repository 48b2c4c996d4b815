import { useState } from 'react';
import { revokeCredential } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MissingToken } from '../../mail/missing-token.js';
import { RouteLink } from '../../ui/route-link.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { useTexts } from '../../texts/texts.js';

export function CredentialRevokePage() {
  const { revocation } = useTexts('entry');
  const token = useCallbackParameter('token');
  const [done, setDone] = useState(false);
  if (!token) return <MissingToken />;
  if (done) {
    return (
      <DonePage
        key="done"
        title={revocation.done}
        lead={
          <>
            {revocation.doneLead} <RouteLink to="/dash/recover">{revocation.newPassword}</RouteLink>.
          </>
        }
      />
    );
  }
  return (
    <MailAction
      key="ask"
      title={revocation.title}
      lead={revocation.lead}
      button={revocation.submit}
      act={() => revokeCredential(token)}
      onDone={() => setDone(true)}
    />
  );
}
