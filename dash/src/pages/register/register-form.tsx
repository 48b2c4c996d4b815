import { Stack } from '@mantine/core';
import { register } from '../../api/auth-api.js';
import { AccountFields, accountValues } from '../../forms/account-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Links } from '../../ui/links.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';

/** What registration led to. */
export interface Outcome {
  email: string;
  activation: 'auto' | 'manual' | 'email';
  /** Where activation goes by a typed code. */
  sessionId?: string;
  expiresInSeconds?: number;
}

/** The registration form. */
export function RegisterForm({ onDone }: { onDone: (outcome: Outcome) => void }) {
  const form = useForm({
    send: (values) => register(accountValues(values)),
    done: ({ data }, { email = '' }) =>
      onDone({
        email: email.trim(),
        activation: data.activation,
        sessionId: data.session_id,
        expiresInSeconds: data.expires_in,
      }),
    wording: { route_not_found: { text: 'Accounts cannot be created here. Sign in with one of the providers.' } },
  });
  const wayBack = useWayBack();
  return (
    <Page title="Create an account">
      <form {...form.props} aria-label="Create an account">
        <Stack>
          <FormProblem text={form.problem} />
          <AccountFields error={form.error} autoFocus />
          <SubmitButton busy={form.busy}>Create account</SubmitButton>
        </Stack>
      </form>
      <Links>
        <RouteLink to="/dash/login" search={wayBack}>
          I already have an account
        </RouteLink>
      </Links>
    </Page>
  );
}
