import { Button } from '@mantine/core';
import { activate } from '../../api/auth-api.js';
import { CodeForm } from '../../mail/code-form.js';
import { Page } from '../../ui/page.js';
import { useTexts } from '../../texts/texts.js';

interface ActivateCodeProps {
  sessionId: string;
  expiresInSeconds?: number;
  onDone: () => void;
  onRestart: () => void;
}

export function ActivateCode({ sessionId, expiresInSeconds, onDone, onRestart }: ActivateCodeProps) {
  const { activate: texts, mail } = useTexts('entry');
  return (
    <Page title={mail.codeTitle} lead={texts.codeSent}>
      <CodeForm
        label={mail.codeTitle}
        button={texts.submit}
        expiresInSeconds={expiresInSeconds}
        send={(code) => activate({ session_id: sessionId, code })}
        onDone={onDone}
      />
      <Button variant="subtle" size="sm" onClick={onRestart}>
        {mail.newCode}
      </Button>
    </Page>
  );
}
