import { useSession } from '../session/use-session.js';
import { useTexts } from '../texts/texts.js';
import { RouteLink } from './route-link.js';
import { useWayBack } from './use-way-back.js';

interface WayOnProps {
  /** Text of the link to the sign-in page; "Go to sign-in" by default. */
  guestLabel?: string;
}

/** Links from a page without another link to the first page of a signed-in user, or to the sign-in page. */
export function WayOn({ guestLabel }: WayOnProps) {
  const { frame } = useTexts();
  const wayBack = useWayBack();
  const { status } = useSession();
  if (status === 'signed-in' && wayBack.cli === undefined) return <RouteLink to="/dash">{frame.toStart}</RouteLink>;
  return (
    <RouteLink to="/dash/login" search={wayBack}>
      {guestLabel ?? frame.toSignIn}
    </RouteLink>
  );
}
