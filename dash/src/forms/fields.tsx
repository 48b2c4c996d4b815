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
export function UsernameField(props: FieldProps) {
  return (
    <TextInput
      {...props}
      label="User name (optional)"
      name="username"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={100}
    />
  );
}

interface NameFieldProps extends FieldProps {
  label: string;
  name: 'first_name' | 'last_name';
  autoComplete: 'given-name' | 'family-name';
}

/** A part of a person's name. */
export function NameField(props: NameFieldProps) {
  return <TextInput {...props} maxLength={100} />;
}

interface SecretFieldProps extends FieldProps {
  label: string;
  name: string;
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  minLength?: number;
  onInput?: (event: FormEvent<HTMLInputElement>) => void;
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
