import { Stack, TextInput } from '@mantine/core';
import { FormButtons } from '../../forms/form-buttons.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { useTexts } from '../../texts/texts.js';
import styles from './add-passkey.module.css';
import { isCancelled } from '../../passkeys/passkeys.js';

interface AddPasskeyProps<T> {
  /** Creates a passkey in the browser, and adds it to the account. */
  add: (name: string) => Promise<T>;
  onAdded: (answer: T) => void;
  onCancel: () => void;
}

export function AddPasskey<T>({ add, onAdded, onCancel }: AddPasskeyProps<T>) {
  const { factors } = useTexts('factors');
  const form = useForm({
    send: ({ name = '' }) => add(name.trim()),
    done: onAdded,
    messages: { mfa_invalid: { text: factors.passkeyFailed }, mfa_token_invalid: { text: factors.tooLate } },
  });
  const problem = form.problem !== null && isCancelled(form.cause) ? factors.passkeyCancelled : form.problem;
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
