import { Links } from '../../ui/links.js';
import { RouteLink } from '../../ui/route-link.js';
import { useWayBack } from '../../ui/use-way-back.js';
import { useMethods } from '../../api/use-methods.js';
import { useNotSetUp } from './not-set-up.js';
import { useTexts } from '../../texts/texts.js';

/** Links for users who cannot sign in yet. They are shown only if accounts with a password exist and the service is set up. */
export function SignInLinks() {
  const { signIn } = useTexts();
  const { data: methods } = useMethods();
  const wayBack = useWayBack();
  const isNotSetUp = useNotSetUp();
  if (!methods?.local || isNotSetUp) return null;
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
