import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { getSetupState, loginWithPassword, setUp } from '../../api/auth-api.js';
import { APP_NAME } from '../../ui/app-name.js';
import { AccountFields, accountValues } from '../../forms/account-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { DonePage } from '../../ui/done-page.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { NextLink } from '../../ui/next-link.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { enter } from '../../session/tokens.js';
import { SetupTokenField } from './setup-token-field.js';
import { WhatNext } from './what-next.js';
import { useTexts } from '../../texts/texts.js';

/** Creates the first administrator with the token that the service printed at its first start. */
export function SetupPage() {
  const { setup } = useTexts('setup');
  const arrived = useCallbackParameter('token');
  const [done, setDone] = useState(false);
  const { data: state, error, refetch } = useQuery({ queryKey: ['setup'], queryFn: getSetupState, staleTime: 0 });
  if (done) {
    return <WhatNext key="done" />;
  }
  if (isNotOffered(error)) {
    return <DonePage key="none" title={setup.nothing} lead={setup.nothingLead} keepsSession />;
  }
  if (state?.data.completed) {
    return <DonePage key="past" title={setup.complete} lead={setup.completeLead} keepsSession />;
  }
  if (!state) {
    return (
      <Page key="wait" title={setup.title(APP_NAME)}>
        {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  return <SetupForm key="form" arrived={arrived} onDone={() => setDone(true)} />;
}

function SetupForm({ arrived, onDone }: { arrived: string | null; onDone: () => void }) {
  const { setup } = useTexts('setup');
  const form = useForm({
    send: async ({ token = '', ...values }) => {
      const account = accountValues(values);
      await setUp({ token: token.trim(), ...account });
      // The account exists even if this sign-in fails. The page then links to the sign-in.
      await enter(() => loginWithPassword(account.email, account.password)).catch(() => undefined);
    },
    done: onDone,
  });
  const isLate = form.cause instanceof ApiError && form.cause.code === 'setup_completed';
  return (
    <Page title={setup.title(APP_NAME)} lead={setup.lead}>
      <form {...form.props} aria-label={setup.form}>
        <Stack>
          <FormProblem text={form.problem}>{isLate && <NextLink />}</FormProblem>
          <SetupTokenField defaultValue={arrived ?? ''} error={form.error('token')} autoFocus={arrived === null} />
          <AccountFields error={form.error} autoFocus={arrived !== null} />
          <SubmitButton busy={form.busy}>{setup.submit}</SubmitButton>
        </Stack>
      </form>
    </Page>
  );
}

/** Returns whether the setup is disabled: without passwords, the first administrator signs in with a provider. */
function isNotOffered(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'route_not_found';
}
