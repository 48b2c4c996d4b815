import { Button, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

interface SubmitButtonProps {
  busy: boolean;
  /** Whether it cannot be taken back. */
  isDangerous?: boolean | undefined;
  children: ReactNode;
}

/** Sends its form. While it is busy it keeps its place in the order of focus. */
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
