import { Stack } from '@mantine/core';
import type { MailRequested } from '../api/openapi.js';
import { EmailField } from '../forms/fields.js';
import { FormProblem } from '../forms/form-problem.js';
import { SubmitButton } from '../forms/submit-button.js';
import { useForm } from '../forms/use-form.js';

interface MailRequestFormProps {
  label: string;
  button: string;
  send: (email: string) => Promise<MailRequested>;
  onSent: (sent: MailRequested, email: string) => void;
}

export function MailRequestForm({ label, button, send, onSent }: MailRequestFormProps) {
  const form = useForm({
    send: ({ email = '' }) => send(email.trim()),
    done: (sent, { email = '' }) => onSent(sent, email.trim()),
  });
  return (
    <form {...form.props} aria-label={label}>
      <Stack>
        <FormProblem text={form.problem} />
        <EmailField error={form.error('email')} autoFocus />
        <SubmitButton busy={form.busy}>{button}</SubmitButton>
      </Stack>
    </form>
  );
}
