import { Stack } from '@mantine/core';
import { useState } from 'react';
import { loginWithOtp } from '../../api/auth-api.js';
import { CodeField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { useEnter } from '../../session/use-enter.js';
import { OtpActions } from './otp-actions.js';
import { OtpRequestForm } from './otp-request-form.js';
import { type OtpSent, OtpSentNote } from './otp-sent-note.js';
import { useTexts } from '../../texts/texts.js';

/** Sign-in with a code from a mail: first the address, then the code. */
export function OtpForm() {
  const [sent, setSent] = useState<OtpSent | null>(null);
  if (!sent) return <OtpRequestForm onSent={setSent} />;
  return <OtpVerifyForm sent={sent} onRestart={() => setSent(null)} />;
}

function OtpVerifyForm({ sent, onRestart }: { sent: OtpSent; onRestart: () => void }) {
  const { signIn } = useTexts();
  const enter = useEnter();
  const form = useForm({
    send: ({ code = '' }) => enter.send(() => loginWithOtp(sent.email, code)),
    done: enter.done,
  });
  return (
    <Stack>
      <form {...form.props} aria-label={signIn.codeForm}>
        <Stack>
          <OtpSentNote sent={sent} />
          <FormProblem text={form.problem} />
          <CodeField error={form.error('code')} autoFocus />
          <SubmitButton busy={form.busy}>{signIn.submit}</SubmitButton>
        </Stack>
      </form>
      <OtpActions sent={sent} onRestart={onRestart} />
    </Stack>
  );
}
