import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { getSetupState, setUp } from '../../api/auth-api.js';
import { APP_NAME } from '../../ui/app-name.js';
import { AccountFields, accountValues } from '../../forms/account-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { DonePage } from '../../ui/done-page.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { useArrival } from '../../ui/use-arrival.js';
import { SetupTokenField } from './setup-token-field.js';

const TITLE = `Set up ${APP_NAME}`;

/** The first administrator, made with the token that the service printed when it first started. */
export function SetupPage() {
  const arrived = useArrival('token');
  const [done, setDone] = useState(false);
  const { data: state, error, refetch } = useQuery({ queryKey: ['setup'], queryFn: getSetupState, staleTime: 0 });
  if (done) {
    return <DonePage key="done" title="The administrator account is ready" lead="Sign in with the new account." />;
  }
  if (isNotOffered(error)) {
    return <DonePage key="none" title="There is nothing to set up" lead="People sign in with a provider here." />;
  }
  if (state?.data.completed) {
    return <DonePage key="past" title="Set-up is complete" lead="The first administrator exists already." />;
  }
  if (!state) {
    return (
      <Page key="wait" title={TITLE}>
        {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  return <SetupForm key="form" arrived={arrived} onDone={() => setDone(true)} />;
}

function SetupForm({ arrived, onDone }: { arrived: string | null; onDone: () => void }) {
  const form = useForm({
    send: ({ token = '', ...values }) => setUp({ token: token.trim(), ...accountValues(values) }),
    done: onDone,
  });
  const isLate = form.cause instanceof ApiError && form.cause.code === 'setup_completed';
  return (
    <Page title={TITLE} lead="Create the account of the first administrator.">
      <form {...form.props} aria-label="Set up">
        <Stack>
          <FormProblem text={form.problem}>
            {isLate && <RouteLink to="/dash/login">Go to sign-in</RouteLink>}
          </FormProblem>
          <SetupTokenField defaultValue={arrived ?? ''} error={form.error('token')} autoFocus={arrived === null} />
          <AccountFields error={form.error} autoFocus={arrived !== null} />
          <SubmitButton busy={form.busy}>Create administrator</SubmitButton>
        </Stack>
      </form>
    </Page>
  );
}

/** Without passwords there is no set-up: the first administrator comes by a provider. */
function isNotOffered(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'route_not_found';
}
