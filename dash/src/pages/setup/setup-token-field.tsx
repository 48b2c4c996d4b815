import { TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';

interface SetupTokenFieldProps {
  defaultValue: string;
  error?: string;
  autoFocus?: boolean;
}

/** Shows the token that proves access to the machine. */
export function SetupTokenField({ defaultValue, error, autoFocus }: SetupTokenFieldProps) {
  const { setup } = useTexts('setup');
  return (
    <TextInput
      label={setup.token}
      name="token"
      description={setup.tokenHint}
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
