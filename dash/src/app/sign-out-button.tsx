import { Button } from '@mantine/core';
import { useTexts } from '../texts/texts.js';

interface SignOutButtonProps {
  busy: boolean;
  onLeave: () => void;
}

export function SignOutButton({ busy, onLeave }: SignOutButtonProps) {
  const { frame } = useTexts();
  return (
    <Button variant="default" size="sm" aria-disabled={busy || undefined} onClick={() => busy || onLeave()}>
      {frame.signOut}
    </Button>
  );
}
