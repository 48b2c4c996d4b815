import { Button, Group } from '@mantine/core';
import { requestOtp } from '../../api/auth-api.js';
import { ResendButton } from '../../mail/resend-button.js';
import type { OtpSent } from './otp-sent-note.js';
import { useTexts } from '../../texts/texts.js';

interface OtpActionsProps {
  sent: OtpSent;
  onRestart: () => void;
}

export function OtpActions({ sent, onRestart }: OtpActionsProps) {
  const { signIn } = useTexts();
  return (
    <Group gap="xs">
      <ResendButton
        label={signIn.sendAnotherCode}
        success={signIn.anotherCodeSent}
        send={() => requestOtp(sent.email)}
      />
      <Button type="button" variant="subtle" size="sm" onClick={onRestart}>
        {signIn.otherAddress}
      </Button>
    </Group>
  );
}
