import { Stack } from '@mantine/core';
import { ApiError } from '../../api/api-error.js';
import { loginWithPassword } from '../../api/auth-api.js';
import { LoginField, SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { useEnter } from '../../session/use-enter.js';
import { RouteLink } from '../../ui/route-link.js';

/** Sign-in with user name or address, and password. */
export function PasswordForm() {
  const enter = useEnter();
  const form = useForm({
    send: ({ login = '', password = '' }) => enter.send(() => loginWithPassword(login.trim(), password)),
    done: enter.done,
  });
  const inactive = form.cause instanceof ApiError && form.cause.code === 'account_inactive';
  return (
    <form {...form.props} aria-label="Sign in with a password">
      <Stack>
        <FormProblem text={form.problem}>
          {inactive && <RouteLink to="/dash/activate">Send the activation e-mail again</RouteLink>}
        </FormProblem>
        <LoginField error={form.error('login')} />
        <SecretField label="Password" name="password" autoComplete="current-password" error={form.error('password')} />
        <SubmitButton busy={form.busy}>Sign in</SubmitButton>
      </Stack>
    </form>
  );
}
