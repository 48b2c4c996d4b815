import { Input, Stack, TextInput } from '@mantine/core';
import { type FocusEvent, useId, useState } from 'react';
import type { BegunTotp } from '../../../api/openapi.js';
import { FactorCodeField } from '../../login/factor-code-field.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm } from '../../../forms/use-form.js';
import { beginApp, confirmApp } from '../../../session/factors-api.js';
import { useTexts } from '../../../texts/texts.js';
import styles from '../account.module.css';
import { FormButtons } from '../edit-section.js';
import classes from './factors.module.css';
import { QrCode } from './qr-code.js';

interface AddAppProps {
  onAdded: () => void;
  onCancel: () => void;
}

/** Adds an authenticator app: a name, then what the app scans, then a code that it shows. */
export function AddApp({ onAdded, onCancel }: AddAppProps) {
  const [begun, setBegun] = useState<BegunTotp | null>(null);
  return begun === null ? (
    <NameForm onBegun={setBegun} onCancel={onCancel} />
  ) : (
    <ConfirmForm begun={begun} onAdded={onAdded} onCancel={onCancel} />
  );
}

function NameForm({ onBegun, onCancel }: { onBegun: (begun: BegunTotp) => void; onCancel: () => void }) {
  const { factors } = useTexts('account');
  const form = useForm({ send: ({ name = '' }) => beginApp(name.trim()), done: onBegun });
  return (
    <form {...form.props} aria-label={factors.add} className={styles.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={factors.name}
          description={factors.nameHint}
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

function ConfirmForm({ begun, onAdded, onCancel }: AddAppProps & { begun: BegunTotp }) {
  const { factors } = useTexts('account');
  const secretId = useId();
  const form = useForm({
    send: ({ code = '' }) => confirmApp(begun.id, code),
    done: onAdded,
    wording: { mfa_invalid: { text: factors.invalid.totp, fields: ['code'] } },
  });
  return (
    <form {...form.props} aria-label={factors.add} className={styles.narrow}>
      <Stack>
        <div>{factors.scan}</div>
        <div className={classes.picture}>
          <QrCode text={begun.otpauth_url} label={factors.picture} />
        </div>
        <Input.Wrapper label={factors.secret} description={factors.byHand} id={secretId}>
          <Input
            component="textarea"
            id={secretId}
            rows={2}
            classNames={{ input: classes.secret }}
            value={begun.secret}
            readOnly
            spellCheck={false}
            onFocus={(event: FocusEvent<HTMLTextAreaElement>) => event.currentTarget.select()}
          />
        </Input.Wrapper>
        <div>{factors.prove}</div>
        <FormProblem text={form.problem} />
        <FactorCodeField kind="totp" error={form.error('code')} />
        <FormButtons submit={factors.confirm} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
