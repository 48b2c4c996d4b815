import { useState } from 'react';
import { checkRecovery, type RecoveryKey, requestRecovery } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { DonePage } from '../../ui/done-page.js';
import { MailSentPage } from '../../mail/mail-sent-page.js';
import { rememberLogin } from '../../session/remembered-login.js';
import { notifyTabs } from '../../session/tabs.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { RecoverCode } from './recover-code.js';
import { RecoverLink } from './recover-link.js';
import { RecoverRequest } from './recover-request.js';
import { RecoverReset } from './recover-reset.js';
import { When } from '../../ui/when.js';
import { useTexts } from '../../texts/texts.js';

type Step =
  | { name: 'request' }
  | { name: 'link'; token: string }
  | { name: 'sent'; email: string }
  | { name: 'code'; email: string; sessionId: string; expiresInSeconds?: number }
  | { name: 'reset'; key: RecoveryKey }
  | { name: 'done'; dueAt: string | null };

export function RecoverPage() {
  const { recover } = useTexts('entry');
  const token = useCallbackParameter('token');
  const [step, setStep] = useState<Step>(token ? { name: 'link', token } : { name: 'request' });
  const start = (sent: MailRequested, email: string) => {
    rememberLogin(email);
    setStep(afterRequest(sent, email));
  };
  const finish = (dueAt: string | null) => {
    notifyTabs('proven');
    setStep({ name: 'done', dueAt });
  };
  const restart = () => setStep({ name: 'request' });
  switch (step.name) {
    case 'request':
      return <RecoverRequest key="request" onSent={start} />;
    case 'link':
      return (
        <RecoverLink
          key="link"
          token={step.token}
          check={() => checkRecovery({ token: step.token })}
          onDone={finish}
          onRestart={restart}
        />
      );
    case 'sent':
      return <MailSentPage key="sent" lead={recover.linkSent(step.email)} resend={() => requestRecovery(step.email)} />;
    case 'code':
      return (
        <RecoverCode
          key="code"
          email={step.email}
          expiresInSeconds={step.expiresInSeconds}
          check={(code) => checkRecovery({ session_id: step.sessionId, code })}
          onAccepted={() => setStep({ name: 'reset', key: { session_id: step.sessionId } })}
          onRestart={restart}
        />
      );
    case 'reset':
      return <RecoverReset key="reset" recovery={step.key} onDone={finish} onRestart={restart} />;
    case 'done':
      return (
        <DonePage
          key="done"
          title={recover.done}
          lead={
            <>
              {recover.doneLead}
              {step.dueAt !== null && <> {recover.waiting(<When time={step.dueAt} />)}</>}
            </>
          }
        />
      );
  }
}

function afterRequest(sent: MailRequested, email: string): Step {
  return sent.session_id
    ? { name: 'code', email, sessionId: sent.session_id, expiresInSeconds: sent.expires_in }
    : { name: 'sent', email };
}
