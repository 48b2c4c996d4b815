import { Button } from '@mantine/core';
import { Page } from '../ui/page.js';

/** For a page that could not be loaded or that broke. */
export function Failed() {
  return (
    <Page title="This page could not be shown" lead="Check your connection, then reload the page.">
      <Button variant="default" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </Page>
  );
}
