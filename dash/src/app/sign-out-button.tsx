import { Button } from '@mantine/core';

interface SignOutButtonProps {
  busy: boolean;
  onLeave: () => void;
}

/** Ends the session of this browser. */
export function SignOutButton({ busy, onLeave }: SignOutButtonProps) {
  return (
    <Button variant="default" size="sm" aria-disabled={busy || undefined} onClick={() => busy || onLeave()}>
      Sign out
    </Button>
  );
}
