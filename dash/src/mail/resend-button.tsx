import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { explainAsText } from '../api/explain.js';
import { Notice } from '../ui/notice.js';
import { useTexts } from '../texts/texts.js';

/** The service sends at most one mail per address in this time. */
const PAUSE_SECONDS = 30;

interface ResendButtonProps {
  label: string;
  success: string;
  send: () => Promise<unknown>;
}

export function ResendButton({ label, success, send }: ResendButtonProps) {
  const t = useTexts();
  const [wait, restart] = usePause();
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: send, onSuccess: restart });
  const isPaused = wait > 0 || isPending;
  return (
    <>
      <Button
        type="button"
        variant="subtle"
        size="sm"
        aria-disabled={isPaused || undefined}
        onClick={() => isPaused || mutate()}
      >
        {wait > 0 ? t.mail.waitFirst(label, wait) : label}
      </Button>
      {isSuccess && <Notice tone="success">{success}</Notice>}
      {error && <Notice tone="problem">{explainAsText(error)}</Notice>}
    </>
  );
}

function usePause(): [number, () => void] {
  const [wait, setWait] = useState(PAUSE_SECONDS);
  useEffect(() => {
    if (wait <= 0) return undefined;
    const timer = window.setTimeout(() => setWait(wait - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [wait]);
  return [wait, () => setWait(PAUSE_SECONDS)];
}
