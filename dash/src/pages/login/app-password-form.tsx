import { LoginField, SecretField } from '../../forms/fields.js';
import { NativeForm } from '../../forms/native-form.js';

/** Signs in to an app with a password. */
export function AppPasswordForm({ carrier }: { carrier: string }) {
  return (
    <NativeForm
      label="Sign in with a password"
      action="/api/auth/cli/login/local"
      hidden={{ carrier }}
      submit="Sign in to the app"
    >
      {(error) => (
        <>
          <LoginField error={error('login')} />
          <SecretField label="Password" name="password" autoComplete="current-password" error={error('password')} />
        </>
      )}
    </NativeForm>
  );
}
