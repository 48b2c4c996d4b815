import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSpent } from '../../api/api-error.js';
import { listRecoverable, type RecoveryKey, resetPassword } from '../../api/auth-api.js';
import { NewPasswordFields } from '../../forms/new-password-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Page } from '../../ui/page.js';
import { EndIdentities } from './end-identities.js';
import { useTexts } from '../../texts/texts.js';

interface RecoverResetProps {
  recovery: RecoveryKey;
  onDone: () => void;
  onRestart: () => void;
}

/** Shows the last step: the new password. */
export function RecoverReset({ recovery, onDone, onRestart }: RecoverResetProps) {
  const { recover } = useTexts('entry');
  const [endsIdentities, setEndsIdentities] = useState(false);
  const { data: identities = [] } = useQuery({
    queryKey: ['recovery', recovery],
    queryFn: () => listRecoverable(recovery),
    retry: false,
    gcTime: 0,
  });
  const form = useForm({
    send: ({ password = '', password_confirmation = '' }) =>
      resetPassword(recovery, { password, password_confirmation, end_identities: endsIdentities }),
    done: onDone,
  });
  return (
    <Page title={recover.resetTitle} lead={recover.resetLead}>
      <form {...form.props} aria-label={recover.resetTitle}>
        <Stack>
          <FormProblem text={form.problem} />
          <NewPasswordFields isAnother error={form.error} autoFocus />
          <EndIdentities identities={identities} checked={endsIdentities} onChange={setEndsIdentities} />
          <SubmitButton busy={form.busy}>{recover.save}</SubmitButton>
        </Stack>
      </form>
      {isSpent(form.cause) && (
        <Button variant="default" fullWidth onClick={onRestart}>
          {recover.newMail}
        </Button>
      )}
    </Page>
  );
}
