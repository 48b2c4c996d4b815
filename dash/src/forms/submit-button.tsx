import { Button, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

interface SubmitButtonProps {
  busy: boolean;
  isDangerous?: boolean | undefined;
  children: ReactNode;
}

/** Submit button. It stays focusable while busy. */
export function SubmitButton({ busy, isDangerous, children }: SubmitButtonProps) {
  return (
    <Button
      type="submit"
      fullWidth
      aria-disabled={busy || undefined}
      data-danger={isDangerous || undefined}
      rightSection={busy ? <Loader size="xs" color="currentColor" aria-hidden /> : undefined}
    >
      {children}
    </Button>
  );
}
