import { Button, Stack } from '@mantine/core';
import { explainAsText } from '../api/explain.js';
import { Notice } from './notice.js';
import { useTexts } from '../texts/texts.js';

interface TryAgainProps {
  error: unknown;
  onRetry: () => void;
}

export function TryAgain({ error, onRetry }: TryAgainProps) {
  const { frame } = useTexts();
  return (
    <Stack align="flex-start" gap="sm">
      <Notice tone="problem">{explainAsText(error)}</Notice>
      <Button variant="default" onClick={onRetry}>
        {frame.tryAgain}
      </Button>
    </Stack>
  );
}
