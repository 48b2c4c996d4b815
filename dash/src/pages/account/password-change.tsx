import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { NewPasswordFields } from '../../forms/new-password-fields.js';
import { useForm } from '../../forms/use-form.js';
import { changePassword } from '../../session/account-api.js';
import classes from './account.module.css';
import { EditSection, FormButtons } from './edit-section.js';
import { SESSIONS } from './sessions.js';

/** Another password for somebody who knows the present one. */
export function PasswordChange({ login }: { login: string }) {
  return (
    <EditSection
      title="Password"
      lead="Changing it signs you out everywhere else: only this session goes on."
      button="Change password"
      form={(close) => <PasswordChangeForm login={login} onClose={close} />}
    />
  );
}

interface PasswordChangeFormProps {
  login: string;
  onClose: (outcome: string | null) => void;
}

function PasswordChangeForm({ login, onClose }: PasswordChangeFormProps) {
  const queries = useQueryClient();
  const form = useForm({
    send: ({ current_password = '', password = '', password_confirmation = '' }) =>
      changePassword({ current_password, password, password_confirmation }),
    done: () => {
      void queries.invalidateQueries({ queryKey: SESSIONS });
      onClose('Your password is changed, and every other session has ended. We have told you by e-mail.');
    },
    wording: {
      invalid_credentials: { text: 'This is not your current password.', fields: ['current_password'] },
      not_a_local_account: {
        text: 'Your account has no password yet. Sign out and choose “Forgot your password?” to get one.',
      },
    },
  });
  return (
    <form {...form.props} aria-label="Change password" className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        {/* For the browser's keeper of passwords: whose it is. */}
        <input type="text" autoComplete="username" defaultValue={login} readOnly hidden />
        <SecretField
          label="Current password"
          name="current_password"
          autoComplete="current-password"
          error={form.error('current_password')}
          autoFocus
        />
        <NewPasswordFields label="New password" error={form.error} />
        <FormButtons submit="Change password" busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}
