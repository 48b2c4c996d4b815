import { Input, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useId } from 'react';
import { LANGUAGES, useTexts } from '../texts/texts.js';

interface FieldProps {
  error?: string;
  defaultValue?: string;
  /** For the first input of a view with a single purpose. */
  autoFocus?: boolean;
}

export function LoginField({ error, defaultValue }: FieldProps) {
  const { forms } = useTexts();
  return (
    <TextInput
      label={forms.login}
      name="login"
      defaultValue={defaultValue}
      error={error}
      required
      withAsterisk={false}
      autoComplete="username webauthn"
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

export function EmailField({ label, name = 'email', ...rest }: EmailFieldProps) {
  const { forms } = useTexts();
  return (
    <TextInput
      {...rest}
      label={label ?? forms.email}
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

export function UsernameField(props: FieldProps) {
  const { forms } = useTexts();
  return (
    <TextInput
      {...props}
      label={forms.username}
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

export function NameField(props: NameFieldProps) {
  return <TextInput {...props} maxLength={100} />;
}

interface LanguageFieldProps {
  /** Language tag of the account; null if it has none. */
  chosen: string | null;
}

/** Selects the language of the account. An unsupported tag stays selectable. */
export function LanguageField({ chosen }: LanguageFieldProps) {
  const { forms } = useTexts();
  const id = useId();
  const offered = new Map<string, string>(Object.entries(LANGUAGES));
  if (chosen !== null && !offered.has(chosen)) offered.set(chosen, chosen);
  return (
    <Input.Wrapper label={forms.language} id={id} size="md">
      <Input component="select" id={id} name="language" size="md" defaultValue={chosen ?? ''}>
        <option value="">{forms.languageOfBrowser}</option>
        {[...offered].map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </Input>
    </Input.Wrapper>
  );
}

interface SecretFieldProps extends FieldProps {
  label: string;
  name: string;
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  minLength?: number;
  onInput?: (event: FormEvent<HTMLInputElement>) => void;
}

export function SecretField({ error, ...rest }: SecretFieldProps) {
  const { forms } = useTexts();
  return (
    <PasswordInput
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      required
      withAsterisk={false}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `${forms.show}: ${rest.label}` }}
    />
  );
}

/** Input for a code from a mail. Whitespace is removed. */
export function CodeField({ error, autoFocus }: FieldProps) {
  const { forms } = useTexts();
  return (
    <TextInput
      label={forms.code}
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

export function dropBlanks(event: FormEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  if (/\s/.test(input.value)) input.value = input.value.replace(/\s/g, '');
}
