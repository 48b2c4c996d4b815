import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isTokenUsedUp } from '../../api/api-error.js';
import { listRecoverable, type RecoveryKey, resetPassword, type ResetInput } from '../../api/auth-api.js';
import { NewPasswordFields } from '../../forms/new-password-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Page } from '../../ui/page.js';
import { RevokeChoices } from './revoke-choices.js';
import { useTexts } from '../../texts/texts.js';

interface RecoverResetProps {
  recovery: RecoveryKey;
  /** @param dueAt when existing second factors are revoked; null if none are scheduled. */
  onDone: (dueAt: string | null) => void;
  onRestart: () => void;
}

export function RecoverReset({ recovery, onDone, onRestart }: RecoverResetProps) {
  const { recover } = useTexts('entry');
  const { factors } = useTexts('factors');
  const [chosen, setChosen] = useState<ReadonlySet<ResetInput['revoke'][number]>>(new Set());
  const { data: credentials = [] } = useQuery({
    queryKey: ['recovery', recovery],
    queryFn: () => listRecoverable(recovery),
    retry: false,
    gcTime: 0,
  });
  const form = useForm({
    send: ({ password = '', password_confirmation = '', code = '' }) =>
      resetPassword(recovery, {
        password,
        password_confirmation,
        revoke: [...chosen],
        ...(code.trim() !== '' && { method: 'recovery_code', code: code.trim() }),
      }),
    done: ({ reset_due_at: dueAt = null }) => onDone(dueAt),
    messages: { mfa_invalid: { text: factors.invalid.recovery_code, fields: ['code'] } },
  });
  return (
    <Page title={recover.resetTitle} lead={recover.resetLead}>
      <form {...form.props} aria-label={recover.resetTitle}>
        <Stack>
          <FormProblem text={form.problem} />
          <NewPasswordFields isNewPassword error={form.error} autoFocus />
          <RevokeChoices
            credentials={credentials}
            chosen={chosen}
            onChange={setChosen}
            codeError={form.error('code')}
          />
          <SubmitButton busy={form.busy}>{recover.save}</SubmitButton>
        </Stack>
      </form>
      {isTokenUsedUp(form.cause) && (
        <Button variant="default" fullWidth onClick={onRestart}>
          {recover.newMail}
        </Button>
      )}
    </Page>
  );
}
