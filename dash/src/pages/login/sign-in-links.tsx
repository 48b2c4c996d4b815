import { Links } from '../../ui/links.js';
import { RouteLink } from '../../ui/route-link.js';
import { useMethods } from '../../api/use-methods.js';

/** Ways for those who cannot sign in yet. They exist only where accounts with a password do. */
export function SignInLinks() {
  const { data: methods } = useMethods();
  if (!methods?.local) return null;
  return (
    <Links>
      <RouteLink to="/dash/recover">Forgot your password?</RouteLink>
      <RouteLink to="/dash/register">Create an account</RouteLink>
    </Links>
  );
}
