import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ERROR_SENTENCES } from '../../api/error-sentences.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { RecoverReset } from './recover-reset.js';

interface RecoverLinkProps {
  token: string;
  /** Asks whether the link is good; spends nothing. */
  check: () => Promise<{ valid: boolean }>;
  onDone: () => void;
  onRestart: () => void;
}

/** Arrived by the link of the e-mail: says at once whether it is still good. Only a new password spends it. */
export function RecoverLink({ token, check, onDone, onRestart }: RecoverLinkProps) {
  const { data, error, refetch } = useQuery({ queryKey: ['recovery', token], queryFn: check, gcTime: 0 });
  if (data?.valid) return <RecoverReset key="reset" recovery={{ token }} onDone={onDone} onRestart={onRestart} />;
  return (
    <Page key={data ? 'spent' : 'wait'} title="Choose a new password">
      {data ? (
        <Stack>
          <Notice tone="problem">{ERROR_SENTENCES['token_invalid']?.text}</Notice>
          <Button fullWidth onClick={onRestart}>
            Ask for a new link
          </Button>
        </Stack>
      ) : error ? (
        <TryAgain error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading label="Checking the link…" />
      )}
    </Page>
  );
}
