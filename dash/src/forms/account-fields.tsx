import { EmailField, NewPasswordFields, UsernameField } from './fields.js';
import type { Values } from './use-form.js';

/** The inputs of a new account. */
export function AccountFields({ error }: { error: (name: string) => string | undefined }) {
  return (
    <>
      <EmailField error={error('email')} />
      <UsernameField error={error('username')} />
      <NewPasswordFields error={error} />
    </>
  );
}

/** Their values as the service takes them; an empty user name is left out. */
export function accountValues({ email = '', username = '', password = '', password_confirmation = '' }: Values) {
  const name = username.trim();
  return { email: email.trim(), ...(name && { username: name }), password, password_confirmation };
}
