import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { isTokenUsedUp } from '../api/api-error.js';
import { FormProblem } from '../forms/form-problem.js';
import { SubmitButton } from '../forms/submit-button.js';
import { useForm } from '../forms/use-form.js';
import { Page } from '../ui/page.js';
import { NextLink } from '../ui/next-link.js';

interface MailActionProps {
  title: string;
  lead: ReactNode;
  button: string;
  /** Consumes the token. It only runs after a click, because mail scanners open links, too. */
  act: () => Promise<unknown>;
  onDone: () => void;
  /** Shown instead of the button if the token is invalid or expired. */
  otherwise?: ReactNode;
}

/** Target page of a mail link. Describes the action and waits for a click. */
export function MailAction({ title, lead, button, act, onDone, otherwise }: MailActionProps) {
  const form = useForm({ send: act, done: onDone });
  const isUsedUp = isTokenUsedUp(form.cause);
  return (
    <Page title={title} lead={isUsedUp ? undefined : lead}>
      <form {...form.props} aria-label={title}>
        <Stack>
          <FormProblem text={form.problem} />
          {!isUsedUp && <SubmitButton busy={form.busy}>{button}</SubmitButton>}
        </Stack>
      </form>
      {isUsedUp && (otherwise ?? <NextLink />)}
    </Page>
  );
}
