import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { wrongPassword } from '../../api/error-messages.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { NewPasswordFields } from '../../forms/new-password-fields.js';
import { useForm } from '../../forms/use-form.js';
import { changePassword } from '../../session/account-api.js';
import classes from './account.module.css';
import { EditSection } from './edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { SESSIONS } from './sessions.js';
import { useTexts } from '../../texts/texts.js';

export function PasswordChange({ login }: { login: string }) {
  const { password } = useTexts('account').account;
  return (
    <EditSection
      title={password.title}
      lead={password.lead}
      button={password.change}
      form={(close) => <PasswordChangeForm login={login} onClose={close} />}
    />
  );
}

interface PasswordChangeFormProps {
  login: string;
  onClose: (outcome: string | null) => void;
}

function PasswordChangeForm({ login, onClose }: PasswordChangeFormProps) {
  const { account, accountErrors, forms } = useTexts('account');
  const queries = useQueryClient();
  const form = useForm({
    send: ({ current_password = '', password = '', password_confirmation = '' }) =>
      changePassword({ current_password, password, password_confirmation }),
    done: () => {
      void queries.invalidateQueries({ queryKey: SESSIONS });
      onClose(account.password.changed);
    },
    messages: { ...wrongPassword(), not_a_local_account: { text: accountErrors.noPasswordYet } },
  });
  return (
    <form {...form.props} aria-label={account.password.change} className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        {/* Tells password managers which account it is. */}
        <input type="text" autoComplete="username" defaultValue={login} readOnly hidden />
        <SecretField
          label={forms.currentPassword}
          name="current_password"
          autoComplete="current-password"
          error={form.error('current_password')}
          autoFocus
        />
        <NewPasswordFields isNewPassword error={form.error} />
        <FormButtons submit={account.password.change} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}
