import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeletionEffects } from '../../api/openapi.js';
import { wrongPassword } from '../../api/error-messages.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { deleteAccount, getDeletionEffects } from '../../session/account-api.js';
import { clearSession } from '../../session/tokens.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import classes from './account.module.css';
import { EditSection } from './edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { deletionEffects, listOfRecords } from './deletion-effects.js';
import { texts, useTexts } from '../../texts/texts.js';

export function DeleteAccount({ login }: { login: string }) {
  const { deletion } = useTexts('account').account;
  return (
    <EditSection
      title={deletion.title}
      lead={deletion.lead}
      button={deletion.title}
      form={(close) => <DeletionForm login={login} onClose={close} />}
    />
  );
}

interface DeletionFormProps {
  login: string;
  onClose: (outcome: string | null) => void;
}

function DeletionForm({ login, onClose }: DeletionFormProps) {
  const query = { queryKey: ['account', 'deletion'], queryFn: getDeletionEffects, gcTime: 0, staleTime: 0 };
  const { data: effects, error, refetch, isFetching } = useQuery(query);
  if (error && !effects) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!effects || isFetching) return <Loading />;
  return <ConfirmDeletionForm effects={effects} login={login} onClose={onClose} />;
}

function ConfirmDeletionForm({ effects, login, onClose }: DeletionFormProps & { effects: DeletionEffects }) {
  const { account, accountErrors, forms } = useTexts('account');
  const { deletion } = account;
  const form = useForm({
    send: ({ current_password }) => deleteAccount(current_password),
    done: () => clearSession('deleted'),
    messages: { ...wrongPassword(), record_in_use: { text: accountErrors.record_in_use } },
  });
  const blocker = blockerOf(effects);
  return (
    <form {...form.props} aria-label={deletion.title} className={classes.narrow}>
      <Stack>
        <div>
          <Text size="sm" fw={600}>
            {deletion.effects}
          </Text>
          <ul className={classes.points}>
            <li>{deletion.signedOut}</li>
            {deletionEffects(effects).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
        {blocker && <Notice tone="problem">{blocker}</Notice>}
        <FormProblem text={form.problem} />
        {!blocker && (
          <>
            <TextInput
              label={deletion.confirm(login)}
              name="confirmation"
              pattern={login.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}
              data-mismatch={deletion.mismatch(login)}
              error={form.error('confirmation')}
              required
              withAsterisk={false}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
            />
            {effects.proof === 'password' && (
              <SecretField
                label={forms.currentPassword}
                name="current_password"
                autoComplete="current-password"
                error={form.error('current_password')}
              />
            )}
          </>
        )}
        <FormButtons
          submit={deletion.title}
          busy={form.busy}
          isDangerous
          isDisabled={blocker !== null}
          onCancel={() => onClose(null)}
        />
      </Stack>
    </form>
  );
}

function blockerOf({ blocked_by, last_administrator }: DeletionEffects): string | null {
  const { account, accountErrors } = texts('account');
  if (last_administrator) return accountErrors.last_root_account;
  if (blocked_by.length > 0) return account.deletion.blocked(listOfRecords(blocked_by));
  return null;
}
