import { Stack } from '@mantine/core';
import { wrongPassword } from '../../api/error-messages.js';
import { getLinkLocation } from '../../session/identities-api.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { providerName } from '../../ui/provider-name.js';
import classes from './account.module.css';
import { FormButtons } from '../../forms/form-buttons.js';
import { useTexts } from '../../texts/texts.js';

interface LinkFormProps {
  provider: string;
  onCancel: () => void;
}

/** Asks for the password before a provider is linked, because it becomes a permanent sign-in method. */
export function LinkForm({ provider, onCancel }: LinkFormProps) {
  const { account, forms } = useTexts('account');
  const form = useForm({
    send: ({ current_password = '' }) => getLinkLocation(provider, current_password),
    done: (location) => window.location.assign(location),
    messages: wrongPassword(),
  });
  const title = account.providers.link(providerName(provider));
  return (
    <form {...form.props} aria-label={title} className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <SecretField
          label={forms.currentPassword}
          name="current_password"
          autoComplete="current-password"
          description={account.providers.linkLead(providerName(provider))}
          error={form.error('current_password')}
          autoFocus
        />
        <FormButtons submit={title} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
