import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.js';
import { useTexts } from '../../texts/texts.js';

interface UnaskedCodeProps {
  onSpend: () => void;
  onForget: () => void;
}

/** Asks whether to go on. A sign-in was completed that this tab did not begin: perhaps in another one, perhaps by whoever sent the link. */
export function UnaskedCode({ onSpend, onForget }: UnaskedCodeProps) {
  const { signIn } = useTexts();
  return (
    <Page title={signIn.unaskedTitle} lead={signIn.unaskedLead}>
      <Stack gap="sm">
        <Button fullWidth onClick={onForget}>
          {signIn.again}
        </Button>
        <Button variant="default" fullWidth onClick={onSpend}>
          {signIn.startedIt}
        </Button>
      </Stack>
    </Page>
  );
}
