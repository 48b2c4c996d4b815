import type { ReactNode } from 'react';
import { useSession } from '../session/use-session.js';
import { Page } from './page.js';
import { RouteButton } from './route-link.js';
import { useAppSearch } from './use-app-search.js';
import { useTexts } from '../texts/texts.js';

interface DonePageProps {
  title: string;
  lead: ReactNode;
  keepsSession?: boolean;
}

/** Last page of a flow, with a link to the sign-in, or to the account page if `keepsSession` is set. */
export function DonePage({ title, lead, keepsSession }: DonePageProps) {
  const { frame } = useTexts();
  const appSearch = useAppSearch();
  const { status } = useSession();
  const isIn = keepsSession === true && status === 'signed-in';
  return (
    <Page title={title} lead={lead}>
      {isIn ? (
        <RouteButton to="/dash/account" fullWidth>
          {frame.toAccount}
        </RouteButton>
      ) : (
        <RouteButton to="/dash/login" search={appSearch} fullWidth>
          {frame.toSignIn}
        </RouteButton>
      )}
    </Page>
  );
}
