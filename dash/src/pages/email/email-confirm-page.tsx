import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirmEmail } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MissingToken } from '../../mail/missing-token.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { useTexts } from '../../texts/texts.js';

export function EmailConfirmPage() {
  const { emailChange } = useTexts('entry');
  const token = useCallbackParameter('token');
  const [done, setDone] = useState(false);
  const queries = useQueryClient();
  function finish(): void {
    // Shows the new address to a signed-in user.
    void queries.invalidateQueries({ queryKey: ['account'] });
    setDone(true);
  }
  if (!token) return <MissingToken />;
  if (done) return <DonePage key="done" title={emailChange.confirmed} lead={emailChange.confirmedLead} keepsSession />;
  return (
    <MailAction
      key="ask"
      title={emailChange.confirmTitle}
      lead={emailChange.confirmLead}
      button={emailChange.confirm}
      act={() => confirmEmail(token)}
      onDone={finish}
    />
  );
}
