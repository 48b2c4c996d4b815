import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.js';
import { useTexts } from '../../texts/texts.js';

interface UnsolicitedCodeProps {
  onUse: () => void;
  onDiscard: () => void;
}

/** Asks whether to continue a sign-in that this tab did not start, or cannot know to have started. */
export function UnsolicitedCode({ onUse, onDiscard }: UnsolicitedCodeProps) {
  const { signIn } = useTexts();
  // Without a secure context the browser has no SHA-256, so no tab can bind the code to itself.
  const reason = window.isSecureContext ? signIn.unsolicited : signIn.unconfirmed;
  return (
    <Page title={reason.title} lead={reason.lead}>
      <Stack gap="sm">
        <Button fullWidth onClick={onDiscard}>
          {signIn.again}
        </Button>
        <Button variant="default" fullWidth onClick={onUse}>
          {signIn.iStartedIt}
        </Button>
      </Stack>
    </Page>
  );
}
