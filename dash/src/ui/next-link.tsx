import { useSession } from '../session/use-session.js';
import { useTexts } from '../texts/texts.js';
import { RouteLink } from './route-link.js';
import { useAppSearch } from './use-app-search.js';

interface NextLinkProps {
  /** Text of the link to the sign-in page; "Go to sign-in" by default. */
  guestLabel?: string;
}

/** Links from a page without another link to the first page of a signed-in user, or to the sign-in page. */
export function NextLink({ guestLabel }: NextLinkProps) {
  const { frame } = useTexts();
  const appSearch = useAppSearch();
  const { status } = useSession();
  if (status === 'signed-in' && appSearch.cli === undefined) return <RouteLink to="/dash">{frame.toStart}</RouteLink>;
  return (
    <RouteLink to="/dash/login" search={appSearch}>
      {guestLabel ?? frame.toSignIn}
    </RouteLink>
  );
}
