import { LoginField, SecretField } from '../../forms/fields.js';
import { NativeForm } from '../../forms/native-form.js';
import { rememberedLogin } from '../../session/remembered-login.js';
import { useTexts } from '../../texts/texts.js';

export function AppPasswordForm({ carrier }: { carrier: string }) {
  const { signIn, appSignIn, forms } = useTexts();
  return (
    <NativeForm
      label={signIn.passwordForm}
      action="/api/auth/cli/login/local"
      hidden={{ carrier }}
      submit={appSignIn.submit}
    >
      {(error) => (
        <>
          <LoginField error={error('login')} defaultValue={rememberedLogin()} />
          <SecretField
            label={forms.password}
            name="password"
            autoComplete="current-password"
            error={error('password')}
          />
        </>
      )}
    </NativeForm>
  );
}
