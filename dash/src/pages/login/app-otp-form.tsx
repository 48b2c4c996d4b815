import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CodeField } from '../../forms/fields.js';
import { NativeForm } from '../../forms/native-form.js';
import { OtpActions } from './otp-actions.js';
import { OtpRequestForm } from './otp-request-form.js';
import { type OtpSent, OtpSentNote } from './otp-sent-note.js';

/** Signs in to an app with a code sent by mail. */
export function AppOtpForm({ carrier }: { carrier: string }) {
  const [sent, setSent] = useState<OtpSent | null>(null);
  if (!sent) return <OtpRequestForm onSent={setSent} />;
  return (
    <Stack>
      <OtpSentNote sent={sent} />
      <NativeForm
        label="Sign in with a one-time code"
        action="/api/auth/cli/login/otp"
        hidden={{ carrier, email: sent.email }}
        submit="Sign in to the app"
      >
        {(error) => <CodeField error={error('code')} autoFocus />}
      </NativeForm>
      <OtpActions sent={sent} onRestart={() => setSent(null)} />
    </Stack>
  );
}
