import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { verifyFactor } from '../../api/auth-api.js';
import { FactorCodeField, type FactorKind } from '../factors/factor-code-field.js';
import { OtherKinds } from '../factors/other-kinds.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { NativeForm } from '../../forms/native-form.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { PasswordFactor } from './password-factor.js';
import { RememberBox } from './remember-box.js';
import { setWaitingSignIn, type WaitingSignIn } from '../../session/due-factor.js';
import { PasskeyButton } from '../../passkeys/passkey-button.js';
import { PasskeyForm } from '../../passkeys/passkey-form.js';
import { answerFactor, hasPasskeys, verifyPasskey } from '../../passkeys/passkeys.js';
import { useEnter } from '../../session/use-enter.js';
import { Page } from '../../ui/page.js';
import type { CallbackError } from '../../ui/use-callback-error.js';
import { useTexts } from '../../texts/texts.js';

export function FactorPage({ signIn }: { signIn: WaitingSignIn }) {
  const { factors } = useTexts('factors');
  const enter = useEnter();
  const [kind, setKind] = useState(() => firstKind(signIn));
  const [isKept, setKept] = useState(false);
  const box = <RememberBox isOn={isKept} onChange={setKept} />;
  return (
    <Page title={factors.title} lead={leadOf(factors, signIn, kind)}>
      {asksForPasskey(signIn) && (
        <PasskeyButton
          label={factors.usePasskey}
          isMain={kind === null}
          ask={async () => {
            const credential = await answerFactor(signIn);
            return enter.send(() => verifyPasskey(signIn, credential, isKept));
          }}
          onDone={enter.done}
        />
      )}
      {asksForPasskey(signIn) && kind !== 'totp' && box}
      {signIn.methods.includes('password') && <PasswordFactor signIn={signIn} />}
      {kind !== null && (
        <FactorForm key={kind} signIn={signIn} kind={kind} isKept={isKept}>
          {kind === 'totp' && box}
        </FactorForm>
      )}
      <OtherWays kinds={typedKinds(signIn)} kind={kind} onOther={setKind} />
    </Page>
  );
}

interface FactorFormProps {
  signIn: WaitingSignIn;
  kind: FactorKind;
  /** Whether to remember the browser. This does not apply to recovery codes, which are for users without another factor. */
  isKept: boolean;
  children: ReactNode;
}

function FactorForm({ signIn, kind, isKept, children }: FactorFormProps) {
  const { factors, signIn: words } = useTexts('factors');
  const enter = useEnter();
  const form = useForm({
    send: ({ code = '' }) =>
      enter.send(() =>
        verifyFactor(signIn, { method: kind, code, ...(isKept && kind === 'totp' && { remember: true }) }),
      ),
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
            {children}
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
  problem: CallbackError | null;
}

/** Second step of a sign-in to an app, with a form that the browser itself submits. */
export function AppFactorPage({ signIn, carrier, problem }: AppFactorPageProps) {
  const { factors, forms, appSignIn } = useTexts('factors');
  const [kind, setKind] = useState(() => firstKind(signIn));
  const [isKept, setKept] = useState(false);
  const form = { action: '/api/auth/cli/login/mfa', submit: appSignIn.submit };
  const known = { carrier, mfa_token: signIn.token, methods: signIn.methods.join(',') };
  const kept: Record<string, string> = isKept ? { remember: 'on' } : {};
  const box = <RememberBox isOn={isKept} onChange={setKept} />;
  return (
    <Page title={factors.title} lead={leadOf(factors, signIn, kind)}>
      <FormProblem text={problem?.code === 'mfa_invalid' ? wrongFactor(factors, signIn) : null} />
      {asksForPasskey(signIn) && (
        <PasskeyForm
          label={factors.usePasskey}
          isMain={kind === null}
          action={form.action}
          hidden={{ ...known, ...kept, method: 'passkey' }}
          ask={() => answerFactor(signIn)}
        />
      )}
      {asksForPasskey(signIn) && kind !== 'totp' && box}
      {signIn.methods.includes('password') && (
        <NativeForm {...form} label={forms.password} hidden={{ ...known, method: 'password' }}>
          {(error) => (
            <SecretField
              label={forms.password}
              name="password"
              autoComplete="current-password"
              error={error('password')}
              autoFocus
            />
          )}
        </NativeForm>
      )}
      {kind !== null && (
        <NativeForm
          {...form}
          key={kind}
          label={factors.title}
          hidden={{ ...known, ...(kind === 'totp' ? kept : {}), method: kind }}
        >
          {(error) => (
            <>
              <FactorCodeField kind={kind} error={error('code')} />
              {kind === 'totp' && box}
            </>
          )}
        </NativeForm>
      )}
      <OtherWays kinds={typedKinds(signIn)} kind={kind} onOther={setKind} />
    </Page>
  );
}

/** Returns the initial code input: for an authenticator app if there is one, otherwise only if there is no other way. */
function firstKind(signIn: WaitingSignIn): FactorKind | null {
  const kinds = typedKinds(signIn);
  if (kinds.includes('totp')) return 'totp';
  return asksForPasskey(signIn) || signIn.methods.includes('password') ? null : (kinds[0] ?? null);
}

function typedKinds({ methods }: WaitingSignIn): FactorKind[] {
  return (['totp', 'recovery_code'] as const).filter((kind) => methods.length === 0 || methods.includes(kind));
}

/** Returns whether to ask for a passkey. After a sign-in with a passkey, the password is the second factor. */
function asksForPasskey({ methods }: WaitingSignIn): boolean {
  return methods.includes('passkey') && !methods.includes('password') && hasPasskeys();
}

type Words = ReturnType<typeof useTexts<'factors'>>['factors'];

function leadOf(factors: Words, signIn: WaitingSignIn, kind: FactorKind | null): string {
  if (asksForPasskey(signIn) || signIn.methods.includes('password')) return factors.passkeyLead;
  return kind === null ? factors.noPasskeysHere : factors.lead[kind];
}

function wrongFactor(factors: Words, { methods }: WaitingSignIn): string {
  if (methods.includes('password')) return factors.wrongPassword;
  return methods.includes('passkey') ? factors.wrongFactor : factors.invalid.totp;
}

interface OtherWaysProps {
  kinds: readonly FactorKind[];
  kind: FactorKind | null;
  onOther: (kind: FactorKind) => void;
}

function OtherWays(props: OtherWaysProps) {
  const { factors } = useTexts('factors');
  return (
    <Stack gap="xs">
      <OtherKinds {...props} />
      <Button variant="subtle" size="sm" onClick={() => setWaitingSignIn(null)}>
        {factors.restart}
      </Button>
    </Stack>
  );
}
