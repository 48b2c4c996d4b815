import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../session/sign-out.js';

/** Ends the session of this page. */
export function SignOutButton() {
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: signOut,
    onSuccess: () => navigate({ to: '/dash/login' }),
  });
  return (
    <Button variant="default" size="sm" aria-disabled={isPending || undefined} onClick={() => isPending || mutate()}>
      Sign out
    </Button>
  );
}
