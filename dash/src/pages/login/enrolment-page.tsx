import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { BegunTotp, BrowserToken, IssuedMfaToken } from '../../api/openapi.js';
import { confirmEnrolment, enrolApp } from '../../api/auth-api.js';
import type { Answer } from '../../api/request.js';
import { NativeForm } from '../../forms/native-form.js';
import { AddPasskey } from '../factors/add-passkey.js';
import { enrolPasskey, hasPasskeys, createPasskey } from '../../passkeys/passkeys.js';
import { setWaitingSignIn, type WaitingSignIn } from '../../session/due-factor.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { AddApp } from '../factors/add-app.js';

const restart = (): void => setWaitingSignIn(null);

export function EnrolmentPage({ signIn }: { signIn: WaitingSignIn }) {
  const { factors } = useTexts('factors');
  const enter = useEnter();
  return (
    <Page title={factors.enrolTitle} lead={factors.enrolLead}>
      <AddFactor
        startEnrolment={(name) => enrolApp(signIn.token, name)}
        confirm={(id, code) => enter.send(() => confirmEnrolment(signIn, { id, code }))}
        addPasskey={async (name) => {
          const credential = await createPasskey(signIn);
          return enter.send(() => enrolPasskey<BrowserToken>(signIn, name, credential));
        }}
        onAdded={enter.done}
      />
    </Page>
  );
}

/** Same for the sign-in to an app. The browser itself submits the last form. */
export function AppEnrolmentPage({ signIn, carrier }: { signIn: WaitingSignIn; carrier: string }) {
  const { factors, appSignIn } = useTexts('factors');
  const [next, setNext] = useState<Added | null>(null);
  if (next !== null) {
    return (
      <Page title={factors.enrolTitle}>
        <Stack>
          <Notice tone="success">{next.message}</Notice>
          <NativeForm
            label={factors.enrolTitle}
            action="/api/auth/cli/login/mfa"
            hidden={{ carrier, mfa_token: next.token, method: 'totp' }}
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
      <AddFactor
        startEnrolment={(name) => enrolApp(signIn.token, name)}
        confirm={async (id, code) => added(await confirmEnrolment<Issued>(signIn, { id, code }), factors.ready)}
        addPasskey={async (name) =>
          added(await enrolPasskey<Issued>(signIn, name, await createPasskey(signIn)), factors.passkeyReady)
        }
        onAdded={setNext}
      />
    </Page>
  );
}

interface Issued {
  data: IssuedMfaToken;
}

interface Added {
  token: string;
  message: string;
}

function added({ body }: Answer<Issued>, message: string): Added {
  return { token: body.data.mfa_token, message };
}

interface AddFactorProps<T> {
  startEnrolment: (name: string) => Promise<BegunTotp>;
  confirm: (id: string, code: string) => Promise<T>;
  addPasskey: (name: string) => Promise<T>;
  onAdded: (answer: T) => void;
}

function AddFactor<T>({ addPasskey, ...app }: AddFactorProps<T>) {
  const { factors } = useTexts('factors');
  const [kind, setKind] = useState<'app' | 'passkey' | null>(hasPasskeys() ? null : 'app');
  if (kind === 'app') return <AddApp {...app} onCancel={restart} />;
  if (kind === 'passkey') return <AddPasskey add={addPasskey} onAdded={app.onAdded} onCancel={() => setKind(null)} />;
  return (
    <Stack gap="xs">
      <Button autoFocus onClick={() => setKind('passkey')}>
        {factors.addPasskey}
      </Button>
      <Button variant="default" onClick={() => setKind('app')}>
        {factors.add}
      </Button>
      <Button variant="subtle" size="sm" onClick={restart}>
        {factors.restart}
      </Button>
    </Stack>
  );
}
