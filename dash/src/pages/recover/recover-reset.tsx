import { Button, Stack } from '@mantine/core';
import { isSpent } from '../../api/api-error.js';
import { type RecoveryKey, resetPassword } from '../../api/auth-api.js';
import { NewPasswordFields } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Page } from '../../ui/page.js';

interface RecoverResetProps {
  recovery: RecoveryKey;
  onDone: () => void;
  onRestart: () => void;
}

/** The last step: the new password. */
export function RecoverReset({ recovery, onDone, onRestart }: RecoverResetProps) {
  const form = useForm({
    send: ({ password = '', password_confirmation = '' }) => resetPassword(recovery, password, password_confirmation),
    done: onDone,
  });
  return (
    <Page title="Choose a new password" lead="It ends every session of your account, on all devices.">
      <form {...form.props} aria-label="Choose a new password">
        <Stack>
          <FormProblem text={form.problem} />
          <NewPasswordFields label="New password" error={form.error} />
          <SubmitButton busy={form.busy}>Save new password</SubmitButton>
        </Stack>
      </form>
      {isSpent(form.cause) && (
        <Button variant="default" fullWidth onClick={onRestart}>
          Ask for a new mail
        </Button>
      )}
    </Page>
  );
}
