import { PasswordInput, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';

interface FieldProps {
  error?: string;
  defaultValue?: string;
  /** For the first input of a view that has no other job. */
  autoFocus?: boolean;
}

/** User name or e-mail address of an account. */
export function LoginField({ error }: FieldProps) {
  return (
    <TextInput
      label="User name or e-mail"
      name="login"
      error={error}
      required
      withAsterisk={false}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={320}
    />
  );
}

interface EmailFieldProps extends FieldProps {
  label?: string;
  name?: 'email' | 'new_email';
  description?: string;
}

/** An e-mail address. */
export function EmailField({ label = 'E-mail', name = 'email', ...rest }: EmailFieldProps) {
  return (
    <TextInput
      {...rest}
      label={label}
      name={name}
      type="email"
      required
      withAsterisk={false}
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={320}
    />
  );
}

/** The name an account may have beside its address. */
export function UsernameField({ error }: FieldProps) {
  return (
    <TextInput
      label="User name (optional)"
      name="username"
      error={error}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={100}
    />
  );
}

interface SecretFieldProps extends FieldProps {
  label: string;
  name: string;
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  minLength?: number;
}

/** A password, with a button that shows it. */
export function SecretField({ error, ...rest }: SecretFieldProps) {
  return (
    <PasswordInput
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      required
      withAsterisk={false}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show ${rest.label.toLowerCase()}` }}
    />
  );
}

interface NewPasswordFieldsProps {
  label?: string;
  autoFocus?: boolean;
  error: (name: string) => string | undefined;
}

/** A new password and its repetition. */
export function NewPasswordFields({ label = 'Password', error, autoFocus }: NewPasswordFieldsProps) {
  return (
    <>
      <SecretField
        label={label}
        name="password"
        autoComplete="new-password"
        description="At least 8 characters. A few words in a row are good."
        minLength={8}
        autoFocus={autoFocus}
        error={error('password')}
      />
      <SecretField
        label={`Repeat ${label.toLowerCase()}`}
        name="password_confirmation"
        autoComplete="new-password"
        error={error('password_confirmation')}
      />
    </>
  );
}

/** A code from a mail; blanks that come along when it is pasted are dropped. */
export function CodeField({ error, autoFocus }: FieldProps) {
  return (
    <TextInput
      label="Code from the e-mail"
      name="code"
      error={error}
      required
      withAsterisk={false}
      autoComplete="one-time-code"
      inputMode="numeric"
      autoFocus={autoFocus}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={32}
      onInput={dropBlanks}
    />
  );
}

function dropBlanks(event: FormEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  if (/\s/.test(input.value)) input.value = input.value.replace(/\s/g, '');
}
