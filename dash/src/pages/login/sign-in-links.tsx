import { Links } from '../../ui/links.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';
import { useMethods } from '../../api/use-methods.js';
import { useTexts } from '../../texts/texts.js';

/** Ways for those who cannot sign in yet. They exist only if accounts with a password do. */
export function SignInLinks() {
  const { signIn } = useTexts();
  const { data: methods } = useMethods();
  const wayBack = useWayBack();
  if (!methods?.local) return null;
  return (
    <Links>
      <RouteLink to="/dash/recover" search={wayBack}>
        {signIn.forgot}
      </RouteLink>
      <RouteLink to="/dash/register" search={wayBack}>
        {signIn.create}
      </RouteLink>
    </Links>
  );
}
