import { Button, Stack } from '@mantine/core';
import { explainInWords } from '../api/explain.js';
import { Notice } from './notice.js';

interface TryAgainProps {
  error: unknown;
  onRetry: () => void;
}

/** Tells why something could not be fetched, and offers to try once more. */
export function TryAgain({ error, onRetry }: TryAgainProps) {
  return (
    <Stack align="flex-start" gap="sm">
      <Notice tone="problem">{explainInWords(error)}</Notice>
      <Button variant="default" onClick={onRetry}>
        Try again
      </Button>
    </Stack>
  );
}
