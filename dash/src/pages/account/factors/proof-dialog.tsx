import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMethods } from '../../../api/use-methods.js';
import { wrongPassword } from '../../../api/error-messages.js';
import type { OwnFactorList } from '../../../api/openapi.js';
import { FactorCodeField, type FactorKind } from '../../factors/factor-code-field.js';
import { OtherKinds } from '../../factors/other-kinds.js';
import { SecretField } from '../../../forms/fields.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { SubmitButton } from '../../../forms/submit-button.js';
import { useForm } from '../../../forms/use-form.js';
import { getCurrentUser } from '../../../session/account-api.js';
import { OWN_FACTORS, stepUp } from '../../../session/factors-api.js';
import { PasskeyButton } from '../../../passkeys/passkey-button.js';
import { hasPasskeys, stepUpByPasskey } from '../../../passkeys/passkeys.js';
import { freshProof } from '../../../session/fresh-proof.js';
import { useTexts } from '../../../texts/texts.js';
import { Loading } from '../../../ui/loading.js';
import { TryAgain } from '../../../ui/try-again.js';
import { QuestionDialog } from '../question-dialog.js';
import { ProviderProof } from './provider-proof.js';

export function ProofDialog() {
  const { factors } = useTexts('account');
  return (
    <QuestionDialog question={freshProof} title={factors.proof.title}>
      {(close) => <ProofChoice onDone={close} />}
    </QuestionDialog>
  );
}

interface ProofProps {
  onDone: (isProven: boolean) => void;
}

/** Asks for a second factor, otherwise for the password, otherwise for a sign-in with the provider. */
function ProofChoice({ onDone }: ProofProps) {
  const own = useQuery({ ...OWN_FACTORS, staleTime: 0 });
  const user = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  const { data: methods } = useMethods();
  if (own.error) return <TryAgain error={own.error} onRetry={() => void own.refetch()} />;
  if (!own.data || !user.data || own.isFetching || !methods) return <Loading />;
  if (own.data.factors.length > 0) return <FactorChoice own={own.data} onDone={onDone} />;
  const { provider, login } = user.data;
  if (methods.local && (!provider || provider === 'local')) return <PasswordProof login={login} onDone={onDone} />;
  return <ProviderProof offered={methods.providers} own={provider ?? null} onCancel={() => onDone(false)} />;
}

function PasswordProof({ login, onDone }: ProofProps & { login: string }) {
  const { factors, forms } = useTexts('account');
  const form = useForm({
    send: ({ current_password = '' }) => stepUp({ method: 'password', password: current_password }),
    done: () => onDone(true),
    messages: wrongPassword(),
  });
  return (
    <form {...form.props} aria-label={factors.proof.title}>
      <Stack>
        <div>{factors.proof.password}</div>
        <FormProblem text={form.problem} />
        {/* Tells password managers which account it is. */}
        <input type="text" autoComplete="username" defaultValue={login} readOnly hidden />
        <SecretField
          label={forms.currentPassword}
          name="current_password"
          autoComplete="current-password"
          error={form.error('current_password')}
          autoFocus
        />
        <ProofButtons busy={form.busy} onCancel={() => onDone(false)} />
      </Stack>
    </form>
  );
}

/** Selects a factor. Accounts with only passkeys see no code input, unless the user selects a recovery code. */
function FactorChoice({ own, onDone }: ProofProps & { own: OwnFactorList }) {
  const { factors } = useTexts('account');
  const has = (kind: string): boolean => own.factors.some(({ type }) => type === kind);
  const canUsePasskey = has('passkey') && hasPasskeys();
  const kinds: FactorKind[] = [];
  if (has('totp')) kinds.push('totp');
  if (own.recovery_codes > 0) kinds.push('recovery_code');
  const [kind, setKind] = useState(() => (has('totp') || !canUsePasskey ? (kinds[0] ?? null) : null));
  return (
    <Stack>
      <div>{kind !== null ? factors.proof.factor : canUsePasskey ? factors.passkeyLead : factors.noPasskeysHere}</div>
      {canUsePasskey && (
        <PasskeyButton
          label={factors.usePasskey}
          isMain={kind === null}
          requestPasskey={stepUpByPasskey}
          onDone={() => onDone(true)}
        />
      )}
      {kind !== null && <FactorProof key={kind} kind={kind} onDone={onDone} />}
      <OtherKinds kinds={kinds} kind={kind} onOther={setKind} />
      {kind === null && (
        <Button variant="default" onClick={() => onDone(false)}>
          {factors.proof.close}
        </Button>
      )}
    </Stack>
  );
}

function FactorProof({ kind, onDone }: ProofProps & { kind: FactorKind }) {
  const { factors } = useTexts('account');
  const form = useForm({
    send: ({ code = '' }) => stepUp({ method: kind, code }),
    done: () => onDone(true),
    messages: { mfa_invalid: { text: factors.invalid[kind], fields: ['code'] } },
  });
  return (
    <form {...form.props} aria-label={factors.proof.title}>
      <Stack>
        <FormProblem text={form.problem} />
        <FactorCodeField kind={kind} error={form.error('code')} />
        <ProofButtons busy={form.busy} onCancel={() => onDone(false)} />
      </Stack>
    </form>
  );
}

function ProofButtons({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const { factors, forms } = useTexts('account');
  return (
    <Group grow>
      <SubmitButton busy={busy}>{factors.proof.submit}</SubmitButton>
      <Button type="button" variant="default" onClick={onCancel}>
        {forms.cancel}
      </Button>
    </Group>
  );
}
