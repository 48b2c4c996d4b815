import { Stack } from '@mantine/core';
import { wrongPassword } from '../../api/error-messages.js';
import { changeEmail } from '../../session/account-api.js';
import { EmailField, SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import classes from './account.module.css';
import { EditSection } from './edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { useTexts } from '../../texts/texts.js';

export function EmailChange() {
  const { email } = useTexts('account').account;
  return (
    <EditSection
      title={email.title}
      lead={email.lead}
      button={email.change}
      form={(close) => <EmailChangeForm onClose={close} />}
    />
  );
}

function EmailChangeForm({ onClose }: { onClose: (outcome: string | null) => void }) {
  const { account, forms } = useTexts('account');
  const form = useForm({
    send: ({ new_email = '', current_password = '' }) => changeEmail(new_email.trim(), current_password),
    done: (_, { new_email = '' }) => onClose(account.email.sentTo(new_email.trim())),
    messages: wrongPassword(),
  });
  return (
    <form {...form.props} aria-label={account.email.change} className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <EmailField label={account.email.newEmail} name="new_email" error={form.error('new_email')} autoFocus />
        <SecretField
          label={forms.currentPassword}
          name="current_password"
          autoComplete="current-password"
          error={form.error('current_password')}
        />
        <FormButtons submit={account.email.submit} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}
