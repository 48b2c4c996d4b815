import { TextInput } from '@mantine/core';

interface SetupTokenFieldProps {
  defaultValue: string;
  error?: string;
  autoFocus?: boolean;
}

/** The token that proves access to the machine. */
export function SetupTokenField({ defaultValue, error, autoFocus }: SetupTokenFieldProps) {
  return (
    <TextInput
      label="Set-up token"
      name="token"
      description="The service printed it when it first started."
      defaultValue={defaultValue}
      error={error}
      autoFocus={autoFocus}
      required
      withAsterisk={false}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={512}
    />
  );
}
