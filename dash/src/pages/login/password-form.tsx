import { Stack } from '@mantine/core';
import { ApiError } from '../../api/api-error.js';
import { loginWithPassword } from '../../api/auth-api.js';
import { LoginField, SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { rememberedLogin } from '../../session/remembered-login.js';
import { useEnter } from '../../session/use-enter.js';
import { RouteLink } from '../../ui/route-link.js';
import { useTexts } from '../../texts/texts.js';

export function PasswordForm() {
  const { signIn, forms } = useTexts();
  const enter = useEnter();
  const form = useForm({
    send: ({ login = '', password = '' }) => enter.send(() => loginWithPassword(login.trim(), password)),
    done: enter.done,
  });
  const inactive = form.cause instanceof ApiError && form.cause.code === 'account_inactive';
  return (
    <form {...form.props} aria-label={signIn.passwordForm}>
      <Stack>
        <FormProblem text={form.problem}>
          {inactive && <RouteLink to="/dash/activate">{signIn.activationAgain}</RouteLink>}
        </FormProblem>
        <LoginField error={form.error('login')} defaultValue={rememberedLogin()} />
        <SecretField
          label={forms.password}
          name="password"
          autoComplete="current-password"
          error={form.error('password')}
        />
        <SubmitButton busy={form.busy}>{signIn.submit}</SubmitButton>
      </Stack>
    </form>
  );
}
