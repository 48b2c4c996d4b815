import { useState } from 'react';
import { SecretField } from './fields.js';
import { PasswordStrength } from './password-strength.js';

interface NewPasswordFieldsProps {
  label?: string;
  autoFocus?: boolean;
  error: (name: string) => string | undefined;
}

interface Typed {
  password: string;
  /** What else the form says of the person: a password made of it is easy to guess. */
  known: string[];
}

/** A new password, with what it is worth, and its repetition. */
export function NewPasswordFields({ label = 'Password', error, autoFocus }: NewPasswordFieldsProps) {
  const [{ password, known }, setTyped] = useState<Typed>({ password: '', known: [] });
  return (
    <>
      <div>
        <SecretField
          label={label}
          name="password"
          autoComplete="new-password"
          description="At least 8 characters. A few words in a row are good."
          minLength={8}
          autoFocus={autoFocus}
          error={error('password')}
          onInput={({ currentTarget }) =>
            setTyped({ password: currentTarget.value, known: saidIn(currentTarget.form) })
          }
        />
        <PasswordStrength password={password} known={known} />
      </div>
      <SecretField
        label={`Repeat ${label.toLowerCase()}`}
        name="password_confirmation"
        autoComplete="new-password"
        error={error('password_confirmation')}
      />
    </>
  );
}

/** Values of a form's inputs by which the person is known: name and address. */
function saidIn(form: HTMLFormElement | null): string[] {
  const inputs = [...(form?.elements ?? [])].filter((element) => element instanceof HTMLInputElement);
  return inputs.filter(({ autocomplete }) => PERSONAL.includes(autocomplete)).map(({ value }) => value);
}

const PERSONAL = ['username', 'email', 'given-name', 'family-name'];
