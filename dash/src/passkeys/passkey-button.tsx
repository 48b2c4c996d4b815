import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.js';
import { explainAsText } from '../api/explain.js';
import { useTexts } from '../texts/texts.js';
import { Notice } from '../ui/notice.js';
import { isCancelled } from './passkeys.js';

interface PasskeyButtonProps<T> {
  label: string;
  /** Whether it is the main action, which has the focus. */
  isMain?: boolean;
  requestPasskey: () => Promise<T>;
  onDone: (answer: T) => void;
}

/** Signs in with a passkey. Shows no error if the user cancels. */
export function PasskeyButton<T>({ label, isMain = false, requestPasskey, onDone }: PasskeyButtonProps<T>) {
  const { errors } = useTexts();
  const { mutate, isPending, error } = useMutation({ mutationFn: requestPasskey, onSuccess: onDone, gcTime: 0 });
  // The service uses the same error code for codes and passkeys.
  function describeError(cause: Error): string {
    return cause instanceof ApiError && cause.code === 'mfa_invalid' ? errors.passkey_invalid : explainAsText(cause);
  }
  return (
    <Stack gap="xs">
      {error && !isCancelled(error) && <Notice tone="problem">{describeError(error)}</Notice>}
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
