import { EmailField, UsernameField } from './fields.js';
import { NewPasswordFields } from './new-password-fields.js';
import type { Values } from './use-form.js';

interface AccountFieldsProps {
  error: (name: string) => string | undefined;
  autoFocus?: boolean;
}

export function AccountFields({ error, autoFocus }: AccountFieldsProps) {
  return (
    <>
      <EmailField error={error('email')} autoFocus={autoFocus} />
      <UsernameField error={error('username')} />
      <NewPasswordFields error={error} />
    </>
  );
}

/** Returns the request fields of an account. An empty username is omitted. */
export function accountValues({ email = '', username = '', password = '', password_confirmation = '' }: Values) {
  const name = username.trim();
  return { email: email.trim(), ...(name && { username: name }), password, password_confirmation };
}
