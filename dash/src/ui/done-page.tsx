import type { ReactNode } from 'react';
import { Page } from './page.js';
import { RouteButton } from './route-link.js';

interface DonePageProps {
  title: string;
  lead: ReactNode;
}

/** The end of a flow: what has happened, and the way to sign-in. */
export function DonePage({ title, lead }: DonePageProps) {
  return (
    <Page title={title} lead={lead}>
      <RouteButton to="/dash/login" fullWidth>
        Go to sign-in
      </RouteButton>
    </Page>
  );
}
