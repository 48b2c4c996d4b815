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
  startEnrolment: (name: string) => Promise<BegunTotp>;
  confirm: (id: string, code: string) => Promise<T>;
  onAdded: (answer: T) => void;
  onCancel: () => void;
}

export function AddApp<T>({ startEnrolment, ...props }: AddAppProps<T>) {
  const [enrolment, setEnrolment] = useState<BegunTotp | null>(null);
  return enrolment === null ? (
    <NameForm startEnrolment={startEnrolment} onStarted={setEnrolment} onCancel={props.onCancel} />
  ) : (
    <ConfirmForm enrolment={enrolment} {...props} />
  );
}

interface NameFormProps extends Pick<AddAppProps<never>, 'startEnrolment' | 'onCancel'> {
  onStarted: (enrolment: BegunTotp) => void;
}

function NameForm({ startEnrolment, onStarted, onCancel }: NameFormProps) {
  const { factors } = useTexts('factors');
  const form = useForm({ send: ({ name = '' }) => startEnrolment(name.trim()), done: onStarted });
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

function ConfirmForm<T>({
  enrolment,
  confirm,
  onAdded,
  onCancel,
}: Omit<AddAppProps<T>, 'startEnrolment'> & { enrolment: BegunTotp }) {
  const { factors } = useTexts('factors');
  const secretId = useId();
  const form = useForm({
    send: ({ code = '' }) => confirm(enrolment.id, code),
    done: onAdded,
    messages: {
      mfa_invalid: { text: factors.invalid.totp, fields: ['code'] },
      mfa_token_invalid: { text: factors.tooLate },
    },
  });
  return (
    <form {...form.props} aria-label={factors.add} className={classes.narrow}>
      <Stack>
        <div>{factors.scan}</div>
        <div className={classes.code}>
          <QrCode text={enrolment.otpauth_url} label={factors.qrCode} />
        </div>
        <Input.Wrapper label={factors.secret} description={factors.byHand} id={secretId}>
          <Input
            component="textarea"
            id={secretId}
            rows={2}
            classNames={{ input: classes.secret }}
            value={enrolment.secret}
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
