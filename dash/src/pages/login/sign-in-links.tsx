import { Links } from '../../ui/links.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';
import { useMethods } from '../../api/use-methods.js';

/** Ways for those who cannot sign in yet. They exist only where accounts with a password do. */
export function SignInLinks() {
  const { data: methods } = useMethods();
  const wayBack = useWayBack();
  if (!methods?.local) return null;
  return (
    <Links>
      <RouteLink to="/dash/recover" search={wayBack}>
        Forgot your password?
      </RouteLink>
      <RouteLink to="/dash/register" search={wayBack}>
        Create an account
      </RouteLink>
    </Links>
  );
}
