import { Button, Loader, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { wrongPassword } from '../../api/error-sentences.js';
import { explainInWords } from '../../api/explain.js';
import { SecretField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { exportAccount, stepUp } from '../../session/account-api.js';
import { Notice } from '../../ui/notice.js';
import classes from './account.module.css';
import { FormButtons } from './edit-section.js';
import { Section } from './section.js';
import { useTexts } from '../../texts/texts.js';

/** Everything that is kept about the person, as a file. */
export function TakeAlong() {
  const { data } = useTexts('account').account;
  const heading = useRef<HTMLHeadingElement>(null);
  const [isAsking, setAsking] = useState(false);
  const download = useMutation({
    mutationFn: exportAccount,
    onSuccess: (file) => {
      save(file);
      setAsking(false);
      heading.current?.focus();
    },
    onError: (reason) => setAsking(asksProof(reason)),
  });
  const problem = asksProof(download.error) ? null : download.error;
  return (
    <Section title={data.title} lead={data.lead} headingRef={heading}>
      {download.isSuccess && <Notice tone="success">{data.ready}</Notice>}
      {problem && <Notice tone="problem">{explainInWords(problem)}</Notice>}
      {isAsking ? (
        <ProofForm onProven={() => download.mutate()} onCancel={() => setAsking(false)} />
      ) : (
        <div>
          <Button
            variant="default"
            size="sm"
            aria-disabled={download.isPending || undefined}
            rightSection={download.isPending ? <Loader size="xs" color="currentColor" aria-hidden /> : undefined}
            onClick={() => download.isPending || download.mutate()}
          >
            {data.download}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Asks for the password where the sign-in is of long ago. */
function ProofForm({ onProven, onCancel }: { onProven: () => void; onCancel: () => void }) {
  const { account, forms } = useTexts('account');
  const form = useForm({
    send: ({ current_password = '' }) => stepUp(current_password),
    done: onProven,
    wording: wrongPassword(),
  });
  return (
    <form {...form.props} aria-label={account.data.download} className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <SecretField
          label={forms.currentPassword}
          name="current_password"
          autoComplete="current-password"
          description={account.data.proof}
          error={form.error('current_password')}
          autoFocus
        />
        <FormButtons submit={account.data.download} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

function asksProof(reason: unknown): boolean {
  return reason instanceof ApiError && reason.code === 'step_up_required';
}

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = 'account.json';
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
