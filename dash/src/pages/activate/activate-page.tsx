import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { activate, sendActivation } from '../../api/auth-api.js';
import type { MailRequested } from '../../api/openapi.js';
import { DonePage } from '../../ui/done-page.js';
import { MailAction } from '../../mail/mail-action.js';
import { MailSentPage } from '../../mail/mail-sent-page.js';
import { rememberLogin } from '../../session/remembered-login.js';
import { notifyTabs } from '../../session/tabs.js';
import { RouteButton } from '../../ui/route-link.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { ActivateCode } from './activate-code.js';
import { ActivateRequest } from './activate-request.js';
import { useTexts } from '../../texts/texts.js';

type Step =
  | { name: 'request' }
  | { name: 'link'; token: string }
  | { name: 'sent'; email: string }
  | { name: 'code'; sessionId: string; expiresInSeconds?: number }
  | { name: 'done' };

export function ActivatePage() {
  const { activate: texts, signIn } = useTexts('entry');
  const token = useCallbackParameter('token');
  const [step, setStep] = useState<Step>(token ? { name: 'link', token } : { name: 'request' });
  const start = (sent: MailRequested, email: string) => {
    rememberLogin(email);
    setStep(afterRequest(sent, email));
  };
  const finish = () => {
    notifyTabs('proven');
    setStep({ name: 'done' });
  };
  switch (step.name) {
    case 'request':
      return <ActivateRequest key="request" onSent={start} />;
    case 'link':
      return (
        <MailAction
          key="link"
          title={texts.title}
          lead={texts.lead}
          button={texts.submit}
          act={() => activate({ token: step.token })}
          onDone={finish}
          otherwise={
            <Stack gap="sm">
              <RouteButton to="/dash/login" fullWidth>
                {texts.alreadyActive}
              </RouteButton>
              <Button variant="default" fullWidth onClick={() => setStep({ name: 'request' })}>
                {signIn.activationAgain}
              </Button>
            </Stack>
          }
        />
      );
    case 'sent':
      return <MailSentPage key="sent" lead={texts.linkSent(step.email)} resend={() => sendActivation(step.email)} />;
    case 'code':
      return (
        <ActivateCode
          key="code"
          sessionId={step.sessionId}
          expiresInSeconds={step.expiresInSeconds}
          onDone={finish}
          onRestart={() => setStep({ name: 'request' })}
        />
      );
    case 'done':
      return <DonePage key="done" title={texts.done} lead={texts.doneLead} />;
  }
}

function afterRequest(sent: MailRequested, email: string): Step {
  return sent.session_id
    ? { name: 'code', sessionId: sent.session_id, expiresInSeconds: sent.expires_in }
    : { name: 'sent', email };
}
