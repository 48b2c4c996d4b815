import { TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';

interface SetupTokenFieldProps {
  defaultValue: string;
  error?: string;
  autoFocus?: boolean;
}

/** Shows the token that proves access to the machine. */
export function SetupTokenField({ defaultValue, error, autoFocus }: SetupTokenFieldProps) {
  const { forms } = useTexts();
  return (
    <TextInput
      label={forms.setupToken}
      name="token"
      description={forms.setupTokenHint}
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
