import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { verifyFactor } from '../../api/auth-api.js';
import { FactorCodeField, type FactorKind } from '../factors/factor-code-field.js';
import { PasskeyButton } from '../factors/passkey-button.js';
import { FormProblem } from '../../forms/form-problem.js';
import { NativeForm } from '../../forms/native-form.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { PasswordFactor } from './password-factor.js';
import { setWaitingSignIn, type WaitingSignIn } from '../../session/due-factor.js';
import { hasPasskeys, verifyPasskey } from '../../session/passkeys.js';
import { useEnter } from '../../session/use-enter.js';
import { Page } from '../../ui/page.js';
import type { ArrivalError } from '../../ui/use-arrival-error.js';
import { useTexts } from '../../texts/texts.js';

/** The second step of a sign-in to these pages. */
export function FactorPage({ signIn }: { signIn: WaitingSignIn }) {
  const { factors } = useTexts('factors');
  const enter = useEnter();
  const [kind, setKind] = useState(() => firstKind(signIn));
  return (
    <Page title={factors.title} lead={signIn.methods.some(isUntyped) ? factors.passkeyLead : factors.lead[kind]}>
      {signIn.methods.includes('passkey') && !signIn.methods.includes('password') && hasPasskeys() && (
        <PasskeyButton
          label={factors.usePasskey}
          ask={() => enter.send(() => verifyPasskey(signIn))}
          onDone={enter.done}
        />
      )}
      {signIn.methods.includes('password') && <PasswordFactor signIn={signIn} />}
      {hasTyped(signIn) && <FactorForm key={kind} signIn={signIn} kind={kind} />}
      <OtherWays kind={kind} onOther={hasBoth(signIn) ? setKind : null} onRestart={() => setWaitingSignIn(null)} />
    </Page>
  );
}

function FactorForm({ signIn, kind }: { signIn: WaitingSignIn; kind: FactorKind }) {
  const { factors, signIn: words } = useTexts('factors');
  const enter = useEnter();
  const form = useForm({
    send: ({ code = '' }) => enter.send(() => verifyFactor(signIn, { method: kind, code })),
    done: enter.done,
    wording: {
      mfa_invalid: { text: factors.invalid[kind], fields: ['code'] },
      mfa_token_invalid: { text: factors.tooLate },
    },
  });
  const isOver = form.cause instanceof ApiError && form.cause.code === 'mfa_token_invalid';
  return (
    <form {...form.props} aria-label={factors.title}>
      <Stack>
        <FormProblem text={form.problem} />
        {!isOver && (
          <>
            <FactorCodeField kind={kind} error={form.error('code')} />
            <SubmitButton busy={form.busy}>{words.submit}</SubmitButton>
          </>
        )}
      </Stack>
    </form>
  );
}

interface AppFactorPageProps {
  signIn: WaitingSignIn;
  carrier: string;
  /** Why the browser was sent back here. */
  problem: ArrivalError | null;
}

/** The second step of a sign-in to an app, by a form that the browser itself sends. */
export function AppFactorPage({ signIn, carrier, problem }: AppFactorPageProps) {
  const { factors, appSignIn } = useTexts('factors');
  const [kind, setKind] = useState(() => firstKind(signIn));
  const isWrong = problem?.code === 'mfa_invalid';
  return (
    <Page title={factors.title} lead={factors.lead[kind]}>
      <FormProblem text={isWrong ? factors.invalid.totp : null} />
      <NativeForm
        key={kind}
        label={factors.title}
        action="/api/auth/cli/login/mfa"
        hidden={{ carrier, mfa_token: signIn.token, method: kind }}
        submit={appSignIn.submit}
      >
        {(error) => <FactorCodeField kind={kind} error={error('code')} />}
      </NativeForm>
      <OtherWays kind={kind} onOther={hasBoth(signIn) ? setKind : null} onRestart={() => setWaitingSignIn(null)} />
    </Page>
  );
}

/** Whoever comes back after a wrong code is not told which kinds there are. */
function firstKind({ methods }: WaitingSignIn): FactorKind {
  return methods.includes('recovery_code') && !methods.includes('totp') ? 'recovery_code' : 'totp';
}

function isUntyped(method: string): boolean {
  return method === 'passkey' || method === 'password';
}

function hasTyped({ methods }: WaitingSignIn): boolean {
  return methods.length === 0 || methods.includes('totp') || methods.includes('recovery_code');
}

function hasBoth({ methods }: WaitingSignIn): boolean {
  return methods.length === 0 || (methods.includes('totp') && methods.includes('recovery_code'));
}

interface OtherWaysProps {
  kind: FactorKind;
  /** Null if the account has no other kind. */
  onOther: ((kind: FactorKind) => void) | null;
  onRestart: () => void;
}

function OtherWays({ kind, onOther, onRestart }: OtherWaysProps) {
  const { factors } = useTexts('factors');
  const other = kind === 'totp' ? 'recovery_code' : 'totp';
  return (
    <Stack gap="xs">
      {onOther && (
        <Button variant="subtle" size="sm" onClick={() => onOther(other)}>
          {factors.instead[other]}
        </Button>
      )}
      <Button variant="subtle" size="sm" onClick={onRestart}>
        {factors.restart}
      </Button>
    </Stack>
  );
}
