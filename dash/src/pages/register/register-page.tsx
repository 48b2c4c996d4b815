import { useState } from 'react';
import { sendActivation } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailSentPage } from '../../mail/mail-sent-page.js';
import { rememberLogin } from '../../session/remembered-login.js';
import { ActivateCode } from '../activate/activate-code.js';
import { FirstSignIn } from './first-sign-in.js';
import { type Outcome, RegisterForm } from './register-form.js';
import { useTexts } from '../../texts/texts.js';

export function RegisterPage() {
  const { register } = useTexts('entry');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [active, setActive] = useState(false);
  function finish(registered: Outcome): void {
    rememberLogin(registered.email);
    setOutcome(registered);
  }
  if (!outcome) return <RegisterForm key="form" onDone={finish} />;
  if (active || outcome.activation === 'auto') {
    return <FirstSignIn key="ready" email={outcome.email} password={outcome.password} />;
  }
  if (outcome.activation === 'manual') {
    return <DonePage key="manual" title={register.created} lead={register.createdLead} />;
  }
  if (outcome.sessionId) {
    return (
      <ActivateCode
        key="code"
        sessionId={outcome.sessionId}
        expiresInSeconds={outcome.expiresInSeconds}
        onDone={() => setActive(true)}
        onRestart={() => setOutcome({ ...outcome, sessionId: undefined })}
      />
    );
  }
  return (
    <MailSentPage
      key="sent"
      lead={register.mailSent(outcome.email)}
      resend={async () => {
        const { session_id, expires_in } = await sendActivation(outcome.email);
        if (session_id) setOutcome({ ...outcome, sessionId: session_id, expiresInSeconds: expires_in });
      }}
    />
  );
}
