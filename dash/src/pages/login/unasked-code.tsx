import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.js';

interface UnaskedCodeProps {
  onSpend: () => void;
  onForget: () => void;
}

/** A sign-in was completed that this tab did not begin: perhaps in another one, perhaps by whoever sent the link. */
export function UnaskedCode({ onSpend, onForget }: UnaskedCodeProps) {
  return (
    <Page
      title="Did you start this?"
      lead="This sign-in was not started in this tab. If you followed a link from somebody else, it may sign you in to their account instead of yours."
    >
      <Stack gap="sm">
        <Button fullWidth onClick={onForget}>
          Sign in again
        </Button>
        <Button variant="default" fullWidth onClick={onSpend}>
          I started it, continue
        </Button>
      </Stack>
    </Page>
  );
}
