import { Stack } from '@mantine/core';
import { verifyFactor } from '../../api/auth-api.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import type { WaitingSignIn } from '../../session/due-factor.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';

/** Password as second factor, after a sign-in with a passkey that does not verify the user. */
export function PasswordFactor({ signIn }: { signIn: WaitingSignIn }) {
  const { factors, forms, signIn: signInTexts } = useTexts('factors');
  const enter = useEnter();
  const form = useForm({
    send: ({ password = '' }) => enter.send(() => verifyFactor(signIn, { method: 'password', password })),
    done: enter.done,
    messages: {
      mfa_invalid: { text: factors.wrongPassword, fields: ['password'] },
      mfa_token_invalid: { text: factors.tooLate },
    },
  });
  return (
    <form {...form.props} aria-label={factors.title}>
      <Stack>
        <FormProblem text={form.problem} />
        <SecretField
          label={forms.password}
          name="password"
          autoComplete="current-password"
          error={form.error('password')}
          autoFocus
        />
        <SubmitButton busy={form.busy}>{signInTexts.submit}</SubmitButton>
      </Stack>
    </form>
  );
}
