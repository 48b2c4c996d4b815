import { EmailField, UsernameField } from './fields.js';
import { NewPasswordFields } from './new-password-fields.js';
import type { Values } from './use-form.js';

interface AccountFieldsProps {
  error: (name: string) => string | undefined;
  autoFocus?: boolean;
}

/** Shows the inputs of a new account. */
export function AccountFields({ error, autoFocus }: AccountFieldsProps) {
  return (
    <>
      <EmailField error={error('email')} autoFocus={autoFocus} />
      <UsernameField error={error('username')} />
      <NewPasswordFields error={error} />
    </>
  );
}

/** Returns the values of the account as the service takes them; an empty user name is left out. */
export function accountValues({ email = '', username = '', password = '', password_confirmation = '' }: Values) {
  const name = username.trim();
  return { email: email.trim(), ...(name && { username: name }), password, password_confirmation };
}
