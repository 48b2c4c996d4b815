import { Button, Group, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { changeEmail } from '../../session/account-api.js';
import { EmailField, SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { SubmitButton } from '../../forms/submit-button.js';
import { useForm } from '../../forms/use-form.js';
import { Notice } from '../../ui/notice.js';
import classes from './account.module.css';
import { Section } from './section.js';

/** Asks for another e-mail address; it holds when the mail to the new one has been answered. */
export function EmailChange() {
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  function close(newEmail: string | null): void {
    setOpen(false);
    setAsked(newEmail);
    heading.current?.focus();
  }
  return (
    <Section title="E-mail address" lead="E-mails with links and codes are sent there." headingRef={heading}>
      {asked && (
        <Notice tone="success">
          We have sent a link to {asked}. Your address changes once you open it; until then it stays as it is.
        </Notice>
      )}
      {open ? (
        <EmailChangeForm onDone={close} onCancel={() => close(null)} />
      ) : (
        <div>
          <Button variant="default" size="sm" onClick={() => setOpen(true)}>
            Change e-mail address
          </Button>
        </div>
      )}
    </Section>
  );
}

interface EmailChangeFormProps {
  onDone: (newEmail: string) => void;
  onCancel: () => void;
}

function EmailChangeForm({ onDone, onCancel }: EmailChangeFormProps) {
  const form = useForm({
    send: ({ new_email = '', current_password = '' }) => changeEmail(new_email.trim(), current_password),
    done: (_, { new_email = '' }) => onDone(new_email.trim()),
    wording: {
      invalid_credentials: { text: 'This is not your current password.', fields: ['current_password'] },
    },
  });
  return (
    <form {...form.props} aria-label="Change e-mail address" className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <EmailField label="New e-mail address" name="new_email" error={form.error('new_email')} autoFocus />
        <SecretField
          label="Current password"
          name="current_password"
          autoComplete="current-password"
          error={form.error('current_password')}
        />
        <Group grow>
          <SubmitButton busy={form.busy}>Change</SubmitButton>
          <Button type="button" variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
