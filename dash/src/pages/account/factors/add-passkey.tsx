import { Stack, TextInput } from '@mantine/core';
import { FormButtons } from '../../../forms/form-buttons.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm } from '../../../forms/use-form.js';
import { addPasskey, isGivenUp } from '../../../session/passkeys.js';
import { useTexts } from '../../../texts/texts.js';
import styles from '../account.module.css';

interface AddPasskeyProps {
  onAdded: () => void;
  onCancel: () => void;
}

/** Adds a passkey: a name, then what the browser asks. */
export function AddPasskey({ onAdded, onCancel }: AddPasskeyProps) {
  const { factors } = useTexts('account');
  const form = useForm({
    send: ({ name = '' }) => addPasskey(name.trim()),
    done: onAdded,
    wording: { mfa_invalid: { text: factors.passkeyFailed } },
  });
  const problem = isGivenUp(form.cause) ? factors.passkeyGivenUp : form.problem;
  return (
    <form {...form.props} aria-label={factors.addPasskey} className={styles.narrow}>
      <Stack>
        <FormProblem text={problem} />
        <TextInput
          label={factors.name}
          description={factors.passkeyHint}
          name="name"
          autoComplete="off"
          maxLength={100}
          error={form.error('name')}
          autoFocus
        />
        <FormButtons submit={factors.next} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
