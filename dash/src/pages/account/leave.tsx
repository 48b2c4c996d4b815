import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ForeseenDeletion } from '../../api/openapi.js';
import { wrongPassword } from '../../api/error-sentences.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { deleteAccount, foreseeDeletion } from '../../session/account-api.js';
import { leave } from '../../session/tokens.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import classes from './account.module.css';
import { EditSection } from './edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { foreseenLines, listOfRecords } from './foreseen-lines.js';
import { texts, useTexts } from '../../texts/texts.js';

export function Leave({ login }: { login: string }) {
  const { deletion } = useTexts('account').account;
  return (
    <EditSection
      title={deletion.title}
      lead={deletion.lead}
      button={deletion.title}
      form={(close) => <LeaveForm login={login} onClose={close} />}
    />
  );
}

interface LeaveFormProps {
  login: string;
  onClose: (outcome: string | null) => void;
}

function LeaveForm({ login, onClose }: LeaveFormProps) {
  const query = { queryKey: ['account', 'deletion'], queryFn: foreseeDeletion, gcTime: 0, staleTime: 0 };
  const { data: foreseen, error, refetch, isFetching } = useQuery(query);
  if (error && !foreseen) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!foreseen || isFetching) return <Loading />;
  return <ForeseenForm foreseen={foreseen} login={login} onClose={onClose} />;
}

function ForeseenForm({ foreseen, login, onClose }: LeaveFormProps & { foreseen: ForeseenDeletion }) {
  const { account, accountErrors, forms } = useTexts('account');
  const { deletion } = account;
  const form = useForm({
    send: ({ current_password }) => deleteAccount(current_password),
    done: () => leave('deleted'),
    wording: { ...wrongPassword(), record_in_use: { text: accountErrors.record_in_use } },
  });
  const hindrance = hindranceOf(foreseen);
  return (
    <form {...form.props} aria-label={deletion.title} className={classes.narrow}>
      <Stack>
        <div>
          <Text size="sm" fw={600}>
            {deletion.whatHappens}
          </Text>
          <ul className={classes.points}>
            <li>{deletion.signedOut}</li>
            {foreseenLines(foreseen).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
        {hindrance && <Notice tone="problem">{hindrance}</Notice>}
        <FormProblem text={form.problem} />
        {!hindrance && (
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
            {foreseen.proof === 'password' && (
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
          isOff={hindrance !== null}
          onCancel={() => onClose(null)}
        />
      </Stack>
    </form>
  );
}

function hindranceOf({ blocked_by, last_administrator }: ForeseenDeletion): string | null {
  const { account, accountErrors } = texts('account');
  if (last_administrator) return accountErrors.last_root_account;
  if (blocked_by.length > 0) return account.deletion.blocked(listOfRecords(blocked_by));
  return null;
}
