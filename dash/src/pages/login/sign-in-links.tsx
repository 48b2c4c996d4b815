import { Links } from '../../ui/links.js';
import { RouteLink } from '../../ui/route-link.js';
import { useAppSearch } from '../../ui/use-app-search.js';
import { useMethods } from '../../api/use-methods.js';
import { useNotSetUp } from './not-set-up.js';
import { useTexts } from '../../texts/texts.js';

/** Links for users who cannot sign in yet. They are shown only if accounts with a password exist and the service is set up. */
export function SignInLinks() {
  const { signIn } = useTexts();
  const { data: methods } = useMethods();
  const appSearch = useAppSearch();
  const isNotSetUp = useNotSetUp();
  if (!methods?.local || isNotSetUp) return null;
  return (
    <Links>
      <RouteLink to="/dash/recover" search={appSearch}>
        {signIn.forgot}
      </RouteLink>
      <RouteLink to="/dash/register" search={appSearch}>
        {signIn.create}
      </RouteLink>
    </Links>
  );
}
