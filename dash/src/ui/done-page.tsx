import type { ReactNode } from 'react';
import { useSession } from '../session/use-session.js';
import { Page } from './page.js';
import { RouteButton } from './route-link.js';
import { useWayBack } from './use-way-back.js';
import { useTexts } from '../texts/texts.js';

interface DonePageProps {
  title: string;
  lead: ReactNode;
  /** Whether who is signed in stays so. */
  keepsSession?: boolean;
}

/** Shows the end of a flow: what has happened, and the way on: to sign-in, or to the account of who is signed in. */
export function DonePage({ title, lead, keepsSession }: DonePageProps) {
  const { frame } = useTexts();
  const wayBack = useWayBack();
  const { status } = useSession();
  const isIn = keepsSession === true && status === 'signed-in';
  return (
    <Page title={title} lead={lead}>
      {isIn ? (
        <RouteButton to="/dash/account" fullWidth>
          {frame.toAccount}
        </RouteButton>
      ) : (
        <RouteButton to="/dash/login" search={wayBack} fullWidth>
          {frame.toSignIn}
        </RouteButton>
      )}
    </Page>
  );
}
