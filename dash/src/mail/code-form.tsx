import { Stack } from '@mantine/core';
import { formatDuration } from '../api/explain.js';
import { CodeField } from '../forms/fields.js';
import { FormProblem } from '../forms/form-problem.js';
import { SubmitButton } from '../forms/submit-button.js';
import { useForm } from '../forms/use-form.js';
import { Notice } from '../ui/notice.js';
import { useTexts } from '../texts/texts.js';

interface CodeFormProps<Answer> {
  label: string;
  button: string;
  expiresInSeconds?: number;
  send: (code: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
}

/** Input for the code of a mail, if mails contain codes instead of links. */
export function CodeForm<Answer>({ label, button, expiresInSeconds, send, onDone }: CodeFormProps<Answer>) {
  const { mail } = useTexts();
  const wrongCode = { text: mail.wrongCode, fields: ['code'] };
  const form = useForm({
    send: ({ code = '' }) => send(code),
    done: onDone,
    messages: { token_invalid: wrongCode, token_expired: wrongCode },
  });
  return (
    <form {...form.props} aria-label={label}>
      <Stack>
        {expiresInSeconds && <Notice tone="plain">{mail.codeValidFor(formatDuration(expiresInSeconds))}</Notice>}
        <FormProblem text={form.problem} />
        <CodeField error={form.error('code')} autoFocus />
        <SubmitButton busy={form.busy}>{button}</SubmitButton>
      </Stack>
    </form>
  );
}
