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
import { assertForFactor, hasPasskeys, verifyPasskey } from '../../passkeys/passkeys.js';
import { useEnter } from '../../session/use-enter.js';
import { Page } from '../../ui/page.js';
import type { CallbackError } from '../../ui/use-callback-error.js';
import { useTexts } from '../../texts/texts.js';

export function FactorPage({ signIn }: { signIn: WaitingSignIn }) {
  const { factors } = useTexts('factors');
  const enter = useEnter();
  const [kind, setKind] = useState(() => firstKind(signIn));
  const [isRemembered, setRemembered] = useState(false);
  const box = <RememberBox isOn={isRemembered} onChange={setRemembered} />;
  return (
    <Page title={factors.title} lead={leadOf(factors, signIn, kind)}>
      {usesPasskey(signIn) && (
        <PasskeyButton
          label={factors.usePasskey}
          isMain={kind === null}
          requestPasskey={async () => {
            const credential = await assertForFactor(signIn);
            return enter.send(() => verifyPasskey(signIn, credential, isRemembered));
          }}
          onDone={enter.done}
        />
      )}
      {usesPasskey(signIn) && kind !== 'totp' && box}
      {signIn.methods.includes('password') && <PasswordFactor signIn={signIn} />}
      {kind !== null && (
        <FactorForm key={kind} signIn={signIn} kind={kind} isRemembered={isRemembered}>
          {kind === 'totp' && box}
        </FactorForm>
      )}
      <OtherFactors kinds={typedKinds(signIn)} kind={kind} onOther={setKind} />
    </Page>
  );
}

interface FactorFormProps {
  signIn: WaitingSignIn;
  kind: FactorKind;
  /** Whether to remember the browser. This does not apply to recovery codes, which are for users without another factor. */
  isRemembered: boolean;
  children: ReactNode;
}

function FactorForm({ signIn, kind, isRemembered, children }: FactorFormProps) {
  const { factors, signIn: signInTexts } = useTexts('factors');
  const enter = useEnter();
  const form = useForm({
    send: ({ code = '' }) =>
      enter.send(() =>
        verifyFactor(signIn, { method: kind, code, ...(isRemembered && kind === 'totp' && { remember: true }) }),
      ),
    done: enter.done,
    messages: {
      mfa_invalid: { text: factors.invalid[kind], fields: ['code'] },
      mfa_token_invalid: { text: factors.tooLate },
    },
  });
  const isExpired = form.cause instanceof ApiError && form.cause.code === 'mfa_token_invalid';
  return (
    <form {...form.props} aria-label={factors.title}>
      <Stack>
        <FormProblem text={form.problem} />
        {!isExpired && (
          <>
            <FactorCodeField kind={kind} error={form.error('code')} />
            {children}
            <SubmitButton busy={form.busy}>{signInTexts.submit}</SubmitButton>
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
  const [isRemembered, setRemembered] = useState(false);
  const form = { action: '/api/auth/cli/login/mfa', submit: appSignIn.submit };
  const hiddenFields = { carrier, mfa_token: signIn.token, methods: signIn.methods.join(',') };
  const rememberField: Record<string, string> = isRemembered ? { remember: 'on' } : {};
  const box = <RememberBox isOn={isRemembered} onChange={setRemembered} />;
  return (
    <Page title={factors.title} lead={leadOf(factors, signIn, kind)}>
      <FormProblem text={problem?.code === 'mfa_invalid' ? wrongFactor(factors, signIn) : null} />
      {usesPasskey(signIn) && (
        <PasskeyForm
          label={factors.usePasskey}
          isMain={kind === null}
          action={form.action}
          hidden={{ ...hiddenFields, ...rememberField, method: 'passkey' }}
          requestPasskey={() => assertForFactor(signIn)}
        />
      )}
      {usesPasskey(signIn) && kind !== 'totp' && box}
      {signIn.methods.includes('password') && (
        <NativeForm {...form} label={forms.password} hidden={{ ...hiddenFields, method: 'password' }}>
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
          hidden={{ ...hiddenFields, ...(kind === 'totp' ? rememberField : {}), method: kind }}
        >
          {(error) => (
            <>
              <FactorCodeField kind={kind} error={error('code')} />
              {kind === 'totp' && box}
            </>
          )}
        </NativeForm>
      )}
      <OtherFactors kinds={typedKinds(signIn)} kind={kind} onOther={setKind} />
    </Page>
  );
}

/** Returns the initial code input: for an authenticator app if there is one, otherwise only if there is no other way. */
function firstKind(signIn: WaitingSignIn): FactorKind | null {
  const kinds = typedKinds(signIn);
  if (kinds.includes('totp')) return 'totp';
  return usesPasskey(signIn) || signIn.methods.includes('password') ? null : (kinds[0] ?? null);
}

function typedKinds({ methods }: WaitingSignIn): FactorKind[] {
  return (['totp', 'recovery_code'] as const).filter((kind) => methods.length === 0 || methods.includes(kind));
}

/** Returns whether to ask for a passkey. After a sign-in with a passkey, the password is the second factor. */
function usesPasskey({ methods }: WaitingSignIn): boolean {
  return methods.includes('passkey') && !methods.includes('password') && hasPasskeys();
}

type FactorTexts = ReturnType<typeof useTexts<'factors'>>['factors'];

function leadOf(factors: FactorTexts, signIn: WaitingSignIn, kind: FactorKind | null): string {
  if (usesPasskey(signIn) || signIn.methods.includes('password')) return factors.passkeyLead;
  return kind === null ? factors.noPasskeysHere : factors.lead[kind];
}

function wrongFactor(factors: FactorTexts, { methods }: WaitingSignIn): string {
  if (methods.includes('password')) return factors.wrongPassword;
  return methods.includes('passkey') ? factors.wrongFactor : factors.invalid.totp;
}

interface OtherFactorsProps {
  kinds: readonly FactorKind[];
  kind: FactorKind | null;
  onOther: (kind: FactorKind) => void;
}

function OtherFactors(props: OtherFactorsProps) {
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
