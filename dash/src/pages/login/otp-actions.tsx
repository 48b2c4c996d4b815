import { Button, Group } from '@mantine/core';
import { requestOtp } from '../../api/auth-api.js';
import { ResendButton } from '../../mail/resend-button.js';
import type { OtpSent } from './otp-sent-note.js';

interface OtpActionsProps {
  sent: OtpSent;
  onRestart: () => void;
}

/** What to do when the code does not come. */
export function OtpActions({ sent, onRestart }: OtpActionsProps) {
  return (
    <Group gap="xs">
      <ResendButton
        label="Send another code"
        success="Another code is on its way. The earlier one has ended."
        send={() => requestOtp(sent.email)}
      />
      <Button type="button" variant="subtle" size="sm" onClick={onRestart}>
        Use another address
      </Button>
    </Group>
  );
}
