import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { isSpent } from '../api/api-error.js';
import { FormProblem } from '../forms/form-problem.js';
import { SubmitButton } from '../forms/submit-button.js';
import { useForm } from '../forms/use-form.js';
import { Page } from '../ui/page.js';
import { WayOn } from '../ui/way-on.js';

interface MailActionProps {
  title: string;
  lead: ReactNode;
  button: string;
  /** Spends the token. It runs on the person's click only, because mail scanners open links too. */
  act: () => Promise<unknown>;
  onDone: () => void;
  /** Offered in place of the button when the token is not good any more. */
  otherwise?: ReactNode;
}

/** Shows a page that a mail's link leads to: it says what will happen and waits for a click. */
export function MailAction({ title, lead, button, act, onDone, otherwise }: MailActionProps) {
  const form = useForm({ send: act, done: onDone });
  const spent = isSpent(form.cause);
  return (
    <Page title={title} lead={spent ? undefined : lead}>
      <form {...form.props} aria-label={title}>
        <Stack>
          <FormProblem text={form.problem} />
          {!spent && <SubmitButton busy={form.busy}>{button}</SubmitButton>}
        </Stack>
      </form>
      {spent && (otherwise ?? <WayOn />)}
    </Page>
  );
}
