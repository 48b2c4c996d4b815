import { Stack } from '@mantine/core';
import { changeEmail } from '../../session/account-api.js';
import { EmailField, SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import classes from './account.module.css';
import { EditSection, FormButtons } from './edit-section.js';

/** Asks for another e-mail address; it holds when the mail to the new one has been answered. */
export function EmailChange() {
  return (
    <EditSection
      title="E-mail address"
      lead="E-mails with links and codes are sent there."
      button="Change e-mail address"
      form={(close) => <EmailChangeForm onClose={close} />}
    />
  );
}

function EmailChangeForm({ onClose }: { onClose: (outcome: string | null) => void }) {
  const form = useForm({
    send: ({ new_email = '', current_password = '' }) => changeEmail(new_email.trim(), current_password),
    done: (_, { new_email = '' }) => onClose(sentTo(new_email.trim())),
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
        <FormButtons submit="Change" busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}

function sentTo(address: string): string {
  return `We have sent a link to ${address}. Your address changes once you open it; until then it stays as it is.`;
}
