import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormProblem } from '../forms/form-problem.js';
import { SubmitButton } from '../forms/submit-button.js';
import { useForm } from '../forms/use-form.js';
import { Page } from '../ui/page.js';

interface MailActionProps {
  title: string;
  lead: ReactNode;
  button: string;
  /** Spends the token. It runs on the person's click only, because mail scanners open links too. */
  act: () => Promise<unknown>;
  onDone: () => void;
  /** Offered when it fails. */
  otherwise?: ReactNode;
}

/** A page that a mail's link leads to: it says what will happen and waits for a click. */
export function MailAction({ title, lead, button, act, onDone, otherwise }: MailActionProps) {
  const form = useForm({ send: act, done: onDone });
  return (
    <Page key="ask" title={title} lead={lead}>
      <form {...form.props} aria-label={title}>
        <Stack>
          <FormProblem text={form.problem} />
          <SubmitButton busy={form.busy}>{button}</SubmitButton>
        </Stack>
      </form>
      {form.problem && otherwise}
    </Page>
  );
}
