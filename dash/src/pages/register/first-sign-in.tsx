import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { loginWithPassword } from '../../api/auth-api.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';
import { DonePage } from '../../ui/done-page.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { useAppSearch } from '../../ui/use-app-search.js';
import type { Outcome } from './register-form.js';

/**
 * Signs in after the registration, if the account is active immediately. For the sign-in of an app, or if it fails, the page only confirms
 * the registration.
 */
export function FirstSignIn({ email, password }: Pick<Outcome, 'email' | 'password'>) {
  const { register, signIn, frame } = useTexts('entry');
  const enter = useEnter();
  const navigate = useNavigate();
  // Only the native form of the sign-in page leads back to an app.
  const isForApp = useAppSearch().cli !== undefined;
  const { error } = useQuery({
    queryKey: ['first-sign-in', email],
    queryFn: async () => {
      const isIn = await enter.send(() => loginWithPassword(email, password));
      if (isIn) enter.done(true);
      // A role requires a second factor, which the sign-in page asks for.
      else void navigate({ to: '/dash/login', replace: true });
      return true;
    },
    enabled: !isForApp,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (isForApp || error) return <DonePage title={register.ready} lead={register.readyLead} />;
  return (
    <Page title={signIn.exchanging}>
      <Loading label={frame.moment} />
    </Page>
  );
}
