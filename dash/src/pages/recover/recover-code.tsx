import { Button } from '@mantine/core';
import { ApiError } from '../../api/api-error.js';
import { CodeForm } from '../../mail/code-form.js';
import { Page } from '../../ui/page.js';

interface RecoverCodeProps {
  email: string;
  expiresInSeconds?: number;
  check: (code: string) => Promise<{ valid: boolean }>;
  onGood: () => void;
  onRestart: () => void;
}

/** Where mails carry codes: the code is typed here. */
export function RecoverCode({ email, expiresInSeconds, check, onGood, onRestart }: RecoverCodeProps) {
  return (
    <Page title="Enter the code" lead={`If ${email} has an account here, an e-mail with a code is on its way.`}>
      <CodeForm
        label="Enter the code"
        button="Continue"
        expiresInSeconds={expiresInSeconds}
        send={async (code) => assertValid(await check(code))}
        onDone={onGood}
      />
      <Button variant="subtle" size="sm" onClick={onRestart}>
        Ask for a new code
      </Button>
    </Page>
  );
}

function assertValid({ valid }: { valid: boolean }): void {
  if (!valid) throw new ApiError({ status: 200, code: 'otp_invalid', message: '' });
}
