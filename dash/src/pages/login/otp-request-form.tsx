import { Stack } from '@mantine/core';
import { requestOtp } from '../../api/auth-api.js';
import { EmailField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import type { OtpSent } from './otp-sent-note.js';
import { useTexts } from '../../texts/texts.js';

export function OtpRequestForm({ onSent }: { onSent: (sent: OtpSent) => void }) {
  const { signIn } = useTexts();
  const form = useForm({
    send: ({ email = '' }) => requestOtp(email.trim()),
    done: ({ expires_in }, { email = '' }) => onSent({ email: email.trim(), expiresInSeconds: expires_in }),
  });
  return (
    <form {...form.props} aria-label={signIn.codeRequestForm}>
      <Stack>
        <FormProblem text={form.problem} />
        <EmailField error={form.error('email')} description={signIn.codeHint} />
        <SubmitButton busy={form.busy}>{signIn.sendCode}</SubmitButton>
      </Stack>
    </form>
  );
}
