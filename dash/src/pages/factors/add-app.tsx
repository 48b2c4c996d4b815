import { Input, Stack, TextInput } from '@mantine/core';
import { type FocusEvent, useId, useState } from 'react';
import type { BegunTotp } from '../../api/openapi.js';
import { FactorCodeField } from './factor-code-field.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { useTexts } from '../../texts/texts.js';
import { FormButtons } from '../../forms/form-buttons.js';
import classes from './add-app.module.css';
import { QrCode } from './qr-code.js';

interface AddAppProps<T> {
  begin: (name: string) => Promise<BegunTotp>;
  confirm: (id: string, code: string) => Promise<T>;
  onAdded: (answer: T) => void;
  onCancel: () => void;
}

export function AddApp<T>({ begin, ...props }: AddAppProps<T>) {
  const [begun, setBegun] = useState<BegunTotp | null>(null);
  return begun === null ? (
    <NameForm begin={begin} onBegun={setBegun} onCancel={props.onCancel} />
  ) : (
    <ConfirmForm begun={begun} {...props} />
  );
}

interface NameFormProps extends Pick<AddAppProps<never>, 'begin' | 'onCancel'> {
  onBegun: (begun: BegunTotp) => void;
}

function NameForm({ begin, onBegun, onCancel }: NameFormProps) {
  const { factors } = useTexts('factors');
  const form = useForm({ send: ({ name = '' }) => begin(name.trim()), done: onBegun });
  return (
    <form {...form.props} aria-label={factors.add} className={classes.narrow}>
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

function ConfirmForm<T>({ begun, confirm, onAdded, onCancel }: Omit<AddAppProps<T>, 'begin'> & { begun: BegunTotp }) {
  const { factors } = useTexts('factors');
  const secretId = useId();
  const form = useForm({
    send: ({ code = '' }) => confirm(begun.id, code),
    done: onAdded,
    wording: {
      mfa_invalid: { text: factors.invalid.totp, fields: ['code'] },
      mfa_token_invalid: { text: factors.tooLate },
    },
  });
  return (
    <form {...form.props} aria-label={factors.add} className={classes.narrow}>
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
