import { Button } from '@mantine/core';
import { ApiError } from '../../api/api-error.js';
import { CodeForm } from '../../mail/code-form.js';
import { Page } from '../../ui/page.js';
import { useTexts } from '../../texts/texts.js';

interface RecoverCodeProps {
  email: string;
  expiresInSeconds?: number;
  check: (code: string) => Promise<{ valid: boolean }>;
  onAccepted: () => void;
  onRestart: () => void;
}

export function RecoverCode({ email, expiresInSeconds, check, onAccepted, onRestart }: RecoverCodeProps) {
  const { recover, mail } = useTexts('entry');
  return (
    <Page title={mail.codeTitle} lead={recover.codeSent(email)}>
      <CodeForm
        label={mail.codeTitle}
        button={recover.continue}
        expiresInSeconds={expiresInSeconds}
        send={async (code) => assertValid(await check(code))}
        onDone={onAccepted}
      />
      <Button variant="subtle" size="sm" onClick={onRestart}>
        {mail.newCode}
      </Button>
    </Page>
  );
}

function assertValid({ valid }: { valid: boolean }): void {
  if (!valid) throw new ApiError({ status: 200, code: 'otp_invalid', message: '' });
}
