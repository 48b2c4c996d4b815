import { Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { addressOf } from '../api/base-path.js';
import { checkFields } from './field-checks.js';
import { inPageLanguage } from '../texts/page-language.js';
import { SubmitButton } from './submit-button.js';
import { useFieldFaults } from './use-field-faults.js';

interface NativeFormProps {
  label: string;
  action: string;
  hidden: Record<string, string>;
  submit: string;
  children: (error: (name: string) => string | undefined) => ReactNode;
}

/** Form that the browser submits itself (`application/x-www-form-urlencoded`), following the redirect of the response. */
export function NativeForm({ label, action, hidden, submit, children }: NativeFormProps) {
  const ref = useRef<HTMLFormElement>(null);
  const { faults, show, correct } = useFieldFaults(ref);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const wakeUp = (): void => setBusy(false);
    window.addEventListener('pageshow', wakeUp);
    return () => window.removeEventListener('pageshow', wakeUp);
  }, []);

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    const found = checkFields(event.currentTarget);
    show(found);
    if (busy || Object.keys(found).length > 0) event.preventDefault();
    else setBusy(true);
  }

  return (
    <form
      ref={ref}
      method="post"
      action={inPageLanguage(addressOf(action))}
      noValidate
      aria-label={label}
      onSubmit={onSubmit}
      onInput={correct}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Stack>
        {children((name) => faults[name])}
        <SubmitButton busy={busy}>{submit}</SubmitButton>
      </Stack>
    </form>
  );
}
