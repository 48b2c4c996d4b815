import { TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';

interface SetupTokenFieldProps {
  defaultValue: string;
  error?: string;
  autoFocus?: boolean;
}

/** Token that proves access to the server. */
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
