import { Stack } from '@mantine/core';
import { register } from '../../api/auth-api.js';
import { useMethods } from '../../api/use-methods.js';
import { AccountFields, accountValues } from '../../forms/account-fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Links } from '../../ui/links.js';
import { NotSetUp } from '../login/not-set-up.js';
import { leaveToProvider, Providers } from '../login/providers.js';
import { Page } from '../../ui/page.js';
import { RouteLink } from '../../ui/route-link.js';
import { useAppSearch } from '../../ui/use-app-search.js';
import { useTexts } from '../../texts/texts.js';

/** Outcome of a registration. It is kept in the memory of the page, with the password for the first sign-in. */
export interface Outcome {
  email: string;
  password: string;
  activation: 'auto' | 'manual' | 'email';
  /** Session for the activation with a code. */
  sessionId?: string;
  expiresInSeconds?: number;
}

export function RegisterForm({ onDone }: { onDone: (outcome: Outcome) => void }) {
  const { register: texts, registrationErrors } = useTexts('entry');
  const form = useForm({
    send: (values) => register(accountValues(values)),
    done: ({ data }, { email = '', password = '' }) =>
      onDone({
        email: email.trim(),
        password,
        activation: data.activation,
        sessionId: data.session_id,
        expiresInSeconds: data.expires_in,
      }),
    messages: { route_not_found: { text: registrationErrors.noRegistration } },
  });
  const appSearch = useAppSearch();
  const { data: methods } = useMethods();
  return (
    <Page title={texts.title}>
      <NotSetUp />
      <form {...form.props} aria-label={texts.title}>
        <Stack>
          <FormProblem text={form.problem} />
          <AccountFields error={form.error} autoFocus />
          <SubmitButton busy={form.busy}>{texts.submit}</SubmitButton>
        </Stack>
      </form>
      {methods && methods.providers.length > 0 && (
        <Providers
          names={methods.providers}
          carrier={appSearch.cli}
          onLeave={appSearch.cli === undefined ? (address) => void leaveToProvider(address) : undefined}
          withDivider
        />
      )}
      <Links>
        <RouteLink to="/dash/login" search={appSearch}>
          {texts.hasAccount}
        </RouteLink>
      </Links>
    </Page>
  );
}
