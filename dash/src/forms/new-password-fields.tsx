import { useState } from 'react';
import { SecretField } from './fields.js';
import { PasswordStrength } from './password-strength.js';
import { useTexts } from '../texts/texts.js';

interface NewPasswordFieldsProps {
  isNewPassword?: boolean;
  autoFocus?: boolean;
  error: (name: string) => string | undefined;
}

interface Typed {
  password: string;
  /** Other values of the form about the user. A password that contains them is easy to guess. */
  personalTexts: string[];
}

export function NewPasswordFields({ isNewPassword, error, autoFocus }: NewPasswordFieldsProps) {
  const { forms } = useTexts();
  const [{ password, personalTexts }, setTyped] = useState<Typed>({ password: '', personalTexts: [] });
  return (
    <>
      <div>
        <SecretField
          label={isNewPassword ? forms.newPassword : forms.password}
          name="password"
          autoComplete="new-password"
          description={forms.passwordHint}
          minLength={8}
          autoFocus={autoFocus}
          error={error('password')}
          onInput={({ currentTarget }) =>
            setTyped({ password: currentTarget.value, personalTexts: personalTextsIn(currentTarget.form) })
          }
        />
        <PasswordStrength password={password} personalTexts={personalTexts} />
      </div>
      <SecretField
        label={isNewPassword ? forms.repeatNewPassword : forms.repeatPassword}
        name="password_confirmation"
        autoComplete="new-password"
        error={error('password_confirmation')}
      />
    </>
  );
}

function personalTextsIn(form: HTMLFormElement | null): string[] {
  const inputs = [...(form?.elements ?? [])].filter((element) => element instanceof HTMLInputElement);
  return inputs.filter(({ autocomplete }) => PERSONAL.includes(autocomplete)).map(({ value }) => value);
}

const PERSONAL = ['username', 'email', 'given-name', 'family-name'];
