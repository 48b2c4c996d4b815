import type { ReactNode } from 'react';
import { Page } from './page.js';
import { RouteButton } from './route-link.js';
import { useWayBack } from './use-way-back.js';
import { useTexts } from '../texts/texts.js';

interface DonePageProps {
  title: string;
  lead: ReactNode;
}

/** The end of a flow: what has happened, and the way to sign-in. */
export function DonePage({ title, lead }: DonePageProps) {
  const { frame } = useTexts();
  const wayBack = useWayBack();
  return (
    <Page title={title} lead={lead}>
      <RouteButton to="/dash/login" search={wayBack} fullWidth>
        {frame.toSignIn}
      </RouteButton>
    </Page>
  );
}
