import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { acceptInvitation, checkInvitation } from '../../api/auth-api.js';
import { FormProblem } from '../../forms/form-problem.js';
import { NewPasswordFields } from '../../forms/new-password-fields.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { MissingToken } from '../../mail/missing-token.js';
import { APP_NAME } from '../../ui/app-name.js';
import { DonePage } from '../../ui/done-page.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { NextLink } from '../../ui/next-link.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { useTexts } from '../../texts/texts.js';

/** Accepts an invitation. Checks the link when the page opens; only setting the password consumes it. */
export function InvitationPage() {
  const token = useCallbackParameter('token');
  return token === null ? <MissingToken /> : <Invitation token={token} />;
}

function Invitation({ token }: { token: string }) {
  const { invitation, frame } = useTexts('entry');
  const [isDone, setDone] = useState(false);
  const query = { queryKey: ['invitation', token], queryFn: () => checkInvitation(token), gcTime: 0, enabled: !isDone };
  const { data, error, refetch } = useQuery(query);
  if (isDone) return <DonePage key="done" title={invitation.done} lead={invitation.doneLead} />;
  if (data?.valid) return <AcceptForm key="accept" token={token} onDone={() => setDone(true)} />;
  return (
    <Page key={data ? 'spent' : 'wait'} title={invitation.title}>
      {data ? (
        <Stack>
          <Notice tone="problem">{invitation.spent}</Notice>
          <NextLink />
        </Stack>
      ) : error ? (
        <TryAgain error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading label={frame.checkingLink} />
      )}
    </Page>
  );
}

function AcceptForm({ token, onDone }: { token: string; onDone: () => void }) {
  const { invitation } = useTexts('entry');
  const form = useForm({
    send: ({ password = '', password_confirmation = '' }) =>
      acceptInvitation(token, { password, password_confirmation }),
    done: onDone,
  });
  return (
    <Page title={invitation.welcome(APP_NAME)} lead={invitation.lead}>
      <form {...form.props} aria-label={invitation.accept}>
        <Stack>
          <FormProblem text={form.problem} />
          <NewPasswordFields error={form.error} autoFocus />
          <SubmitButton busy={form.busy}>{invitation.accept}</SubmitButton>
        </Stack>
      </form>
    </Page>
  );
}
