import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { IssuedMfaToken } from '../../api/openapi.js';
import { confirmEnrolment, enrolApp } from '../../api/auth-api.js';
import { NativeForm } from '../../forms/native-form.js';
import { setWaitingSignIn, type WaitingSignIn } from '../../session/due-factor.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { AddApp } from '../factors/add-app.js';

const restart = (): void => setWaitingSignIn(null);

/** A sign-in to these pages whose account has to get a second factor first: whoever adds it is signed in. */
export function EnrolmentPage({ signIn }: { signIn: WaitingSignIn }) {
  const { factors } = useTexts('factors');
  const enter = useEnter();
  return (
    <Page title={factors.enrolTitle} lead={factors.enrolLead}>
      <AddApp
        begin={(name) => enrolApp(signIn.token, name)}
        confirm={(id, code) => enter.send(() => confirmEnrolment(signIn, { id, code }))}
        onAdded={enter.done}
        onCancel={restart}
      />
    </Page>
  );
}

/** The same on the way to an app: the browser itself goes on to it. */
export function AppEnrolmentPage({ signIn, carrier }: { signIn: WaitingSignIn; carrier: string }) {
  const { factors, appSignIn } = useTexts('factors');
  const [next, setNext] = useState<string | null>(null);
  if (next !== null) {
    return (
      <Page title={factors.enrolTitle}>
        <Stack>
          <Notice tone="success">{factors.ready}</Notice>
          <NativeForm
            label={factors.enrolTitle}
            action="/api/auth/cli/login/mfa"
            hidden={{ carrier, mfa_token: next, method: 'totp' }}
            submit={appSignIn.submit}
          >
            {() => null}
          </NativeForm>
        </Stack>
      </Page>
    );
  }
  return (
    <Page title={factors.enrolTitle} lead={factors.enrolLead}>
      <AddApp
        begin={(name) => enrolApp(signIn.token, name)}
        confirm={async (id, code) => (await confirmEnrolment<{ data: IssuedMfaToken }>(signIn, { id, code })).body.data}
        onAdded={(issued) => setNext(issued.mfa_token)}
        onCancel={restart}
      />
    </Page>
  );
}
