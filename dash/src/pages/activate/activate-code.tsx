import { Button } from '@mantine/core';
import { activate } from '../../api/auth-api.js';
import { CodeForm } from '../../mail/code-form.js';
import { Page } from '../../ui/page.js';

interface ActivateCodeProps {
  sessionId: string;
  expiresInSeconds?: number;
  onDone: () => void;
  onRestart: () => void;
}

/** Where mails carry codes: the activation code is typed here. */
export function ActivateCode({ sessionId, expiresInSeconds, onDone, onRestart }: ActivateCodeProps) {
  return (
    <Page title="Enter the code" lead="If the account waits for activation, an e-mail with a code is on its way.">
      <CodeForm
        label="Enter the code"
        button="Activate account"
        expiresInSeconds={expiresInSeconds}
        send={(code) => activate({ session_id: sessionId, code })}
        onDone={onDone}
      />
      <Button variant="subtle" size="sm" onClick={onRestart}>
        Ask for a new code
      </Button>
    </Page>
  );
}
