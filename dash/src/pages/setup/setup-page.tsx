import { Stack } from '@mantine/core';
import { useState } from 'react';
import { setUp } from '../../api/auth-api.js';
import { APP_NAME } from '../../app/app-name.js';
import { AccountFields, accountValues } from '../../forms/account-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { DonePage } from '../../ui/done-page.js';
import { Page } from '../../ui/page.js';
import { useArrival } from '../../ui/use-arrival.js';
import { SetupTokenField } from './setup-token-field.js';

/** The first administrator, made with the token that the service printed when it first started. */
export function SetupPage() {
  const arrived = useArrival('token');
  const [done, setDone] = useState(false);
  if (done) return <DonePage key="done" title="The administrator is made" lead="Sign in with the new account." />;
  return <SetupForm key="form" arrived={arrived} onDone={() => setDone(true)} />;
}

function SetupForm({ arrived, onDone }: { arrived: string | null; onDone: () => void }) {
  const form = useForm({
    send: ({ token = '', ...values }) => setUp({ token: token.trim(), ...accountValues(values) }),
    done: onDone,
    wording: {
      route_not_found: { text: 'The first administrator exists already. Sign in instead.' },
      token_invalid: TOKEN_WRONG,
      token_expired: TOKEN_WRONG,
    },
  });
  return (
    <Page title={`Set up ${APP_NAME}`} lead="Make the account of the first administrator.">
      <form {...form.props} aria-label="Set up">
        <Stack>
          <FormProblem text={form.problem} />
          <SetupTokenField defaultValue={arrived ?? ''} error={form.error('token')} />
          <AccountFields error={form.error} />
          <SubmitButton busy={form.busy}>Create administrator</SubmitButton>
        </Stack>
      </form>
    </Page>
  );
}

const TOKEN_WRONG = { text: 'This set-up token is not right. Look for it in the service’s log.', fields: ['token'] };
