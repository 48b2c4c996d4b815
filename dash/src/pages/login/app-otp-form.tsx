import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { CodeField, EmailField } from '../../forms/fields.js';
import { NativeForm } from '../../forms/native-form.js';
import { OtpActions } from './otp-actions.js';
import { OtpRequestForm } from './otp-request-form.js';
import { type OtpSent, OtpSentNote } from './otp-sent-note.js';
import { useTexts } from '../../texts/texts.js';

const ACTION = '/api/auth/cli/login/otp';

interface AppOtpFormProps {
  carrier: string;
  /** After a wrong code: the code in the mail may still be valid. */
  again: boolean;
}

type Step = { name: 'ask' | 'have' } | { name: 'sent'; sent: OtpSent };

export function AppOtpForm({ carrier, again }: AppOtpFormProps) {
  const { signIn, appSignIn, mail } = useTexts();
  const form = { label: signIn.codeForm, action: ACTION, submit: appSignIn.submit };
  const [step, setStep] = useState<Step>({ name: again ? 'have' : 'ask' });
  const restart = () => setStep({ name: 'ask' });
  switch (step.name) {
    case 'ask':
      return <OtpRequestForm onSent={(sent) => setStep({ name: 'sent', sent })} />;
    case 'have':
      return (
        <Stack>
          <NativeForm {...form} hidden={{ carrier }}>
            {(error) => (
              <>
                <EmailField error={error('email')} />
                <CodeField error={error('code')} />
              </>
            )}
          </NativeForm>
          <Button variant="subtle" size="sm" onClick={restart}>
            {mail.newCode}
          </Button>
        </Stack>
      );
    case 'sent':
      return (
        <Stack>
          <OtpSentNote sent={step.sent} />
          <NativeForm {...form} hidden={{ carrier, email: step.sent.email }}>
            {(error) => <CodeField error={error('code')} autoFocus />}
          </NativeForm>
          <OtpActions sent={step.sent} onRestart={restart} />
        </Stack>
      );
  }
}
