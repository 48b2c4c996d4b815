import { TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import { dropBlanks } from '../../forms/fields.js';

export type FactorKind = 'totp' | 'recovery_code';

interface FactorCodeFieldProps {
  kind: FactorKind;
  error: string | undefined;
}

export function FactorCodeField({ kind, error }: FactorCodeFieldProps) {
  const { factors } = useTexts('factors');
  const isApp = kind === 'totp';
  return (
    <TextInput
      label={factors.code[kind]}
      name="code"
      error={error}
      required
      withAsterisk={false}
      autoComplete={isApp ? 'one-time-code' : 'off'}
      inputMode={isApp ? 'numeric' : 'text'}
      autoFocus
      autoCapitalize="none"
      spellCheck={false}
      maxLength={isApp ? 10 : 40}
      onInput={isApp ? dropBlanks : undefined}
    />
  );
}
