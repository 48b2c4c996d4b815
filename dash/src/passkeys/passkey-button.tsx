import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.js';
import { explainInWords } from '../api/explain.js';
import { useTexts } from '../texts/texts.js';
import { Notice } from '../ui/notice.js';
import { isGivenUp } from './passkeys.js';

interface PasskeyButtonProps<T> {
  label: string;
  /** Whether it is the main action, which has the focus. */
  isMain?: boolean;
  ask: () => Promise<T>;
  onDone: (answer: T) => void;
}

/** Signs in with a passkey. Shows no error if the user cancels. */
export function PasskeyButton<T>({ label, isMain = false, ask, onDone }: PasskeyButtonProps<T>) {
  const { errors } = useTexts();
  const { mutate, isPending, error } = useMutation({ mutationFn: ask, onSuccess: onDone, gcTime: 0 });
  // The service uses the same error code for codes and passkeys.
  function words(cause: Error): string {
    return cause instanceof ApiError && cause.code === 'mfa_invalid' ? errors.passkey_invalid : explainInWords(cause);
  }
  return (
    <Stack gap="xs">
      {error && !isGivenUp(error) && <Notice tone="problem">{words(error)}</Notice>}
      <Button
        variant={isMain ? 'filled' : 'default'}
        size={isMain ? 'md' : 'sm'}
        fullWidth
        autoFocus={isMain}
        loading={isPending}
        onClick={() => mutate()}
      >
        {label}
      </Button>
    </Stack>
  );
}
