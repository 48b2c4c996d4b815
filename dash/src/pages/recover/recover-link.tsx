import { Button } from '@mantine/core';
import { ApiError } from '../../api/api-error.js';
import { MailAction } from '../../mail/mail-action.js';

interface RecoverLinkProps {
  check: () => Promise<{ valid: boolean }>;
  onGood: () => void;
  onRestart: () => void;
}

/** Arrived by the mail's link: nothing happens until the person wants it. */
export function RecoverLink({ check, onGood, onRestart }: RecoverLinkProps) {
  return (
    <MailAction
      title="Choose a new password"
      lead="You asked for a new password. If it was not you, close this page; nothing has changed."
      button="Continue"
      act={async () => assertValid(await check())}
      onDone={onGood}
      otherwise={
        <Button fullWidth onClick={onRestart}>
          Ask for a new link
        </Button>
      }
    />
  );
}

function assertValid({ valid }: { valid: boolean }): void {
  if (!valid) throw new ApiError({ status: 200, code: 'token_invalid', message: '' });
}
