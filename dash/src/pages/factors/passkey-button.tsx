import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { explainInWords } from '../../api/explain.js';
import { isGivenUp } from '../../session/passkeys.js';
import { Notice } from '../../ui/notice.js';

interface PasskeyButtonProps<T> {
  label: string;
  /** Asks the browser, and the service. */
  ask: () => Promise<T>;
  onDone: (answer: T) => void;
}

/** Asks for a passkey. Whoever gives it up is told nothing. */
export function PasskeyButton<T>({ label, ask, onDone }: PasskeyButtonProps<T>) {
  const { mutate, isPending, error } = useMutation({ mutationFn: ask, onSuccess: onDone, gcTime: 0 });
  return (
    <Stack gap="xs">
      {error && !isGivenUp(error) && <Notice tone="problem">{explainInWords(error)}</Notice>}
      <Button variant="default" size="sm" fullWidth loading={isPending} onClick={() => mutate()}>
        {label}
      </Button>
    </Stack>
  );
}
