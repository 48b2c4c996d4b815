import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { RecoverReset } from './recover-reset.js';
import { useTexts } from '../../texts/texts.js';

interface RecoverLinkProps {
  token: string;
  /** Checks the link without consuming it. */
  check: () => Promise<{ valid: boolean }>;
  onDone: (dueAt: string | null) => void;
  onRestart: () => void;
}

/** Resets the password with the link of a mail. Checks the link when the page opens; only setting the password consumes it. */
export function RecoverLink({ token, check, onDone, onRestart }: RecoverLinkProps) {
  const { recover, errors, frame } = useTexts('entry');
  const { data, error, refetch } = useQuery({ queryKey: ['recovery', token], queryFn: check, gcTime: 0 });
  if (data?.valid) return <RecoverReset key="reset" recovery={{ token }} onDone={onDone} onRestart={onRestart} />;
  return (
    <Page key={data ? 'spent' : 'wait'} title={recover.resetTitle}>
      {data ? (
        <Stack>
          <Notice tone="problem">{errors.token_invalid}</Notice>
          <Button fullWidth onClick={onRestart}>
            {recover.newLink}
          </Button>
        </Stack>
      ) : error ? (
        <TryAgain error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading label={frame.checkingLink} />
      )}
    </Page>
  );
}
