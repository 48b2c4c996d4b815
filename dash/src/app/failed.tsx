import { Button } from '@mantine/core';
import { Page } from '../ui/page.js';
import { useTexts } from '../texts/texts.js';

export function Failed() {
  const { frame } = useTexts();
  return (
    <Page title={frame.failed} lead={frame.failedLead}>
      <Button variant="default" onClick={() => window.location.reload()}>
        {frame.reload}
      </Button>
    </Page>
  );
}
