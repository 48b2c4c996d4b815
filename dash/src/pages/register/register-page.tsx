import { useState } from 'react';
import { sendActivation } from '../../api/auth-api.js';
import { DonePage } from '../../ui/done-page.js';
import { MailSentPage } from '../../mail/mail-sent-page.js';
import { ActivateCode } from '../activate/activate-code.js';
import { type Outcome, RegisterForm } from './register-form.js';

/** Registration, and what comes after it: that depends on how accounts are activated here. */
export function RegisterPage() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [active, setActive] = useState(false);
  if (!outcome) return <RegisterForm key="form" onDone={setOutcome} />;
  if (active || outcome.activation === 'auto') {
    return <DonePage key="ready" title="Your account is ready" lead="You can sign in now." />;
  }
  if (outcome.activation === 'manual') {
    return (
      <DonePage
        key="manual"
        title="Your account has been created"
        lead="An administrator has to activate it before you can sign in."
      />
    );
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
      lead={`We have sent an e-mail to ${outcome.email}. Open the link in it to activate your account.`}
      resend={async () => {
        const { session_id, expires_in } = await sendActivation(outcome.email);
        if (session_id) setOutcome({ ...outcome, sessionId: session_id, expiresInSeconds: expires_in });
      }}
    />
  );
}
