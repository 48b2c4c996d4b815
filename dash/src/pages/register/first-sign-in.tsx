import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { loginWithPassword } from '../../api/auth-api.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';
import { DonePage } from '../../ui/done-page.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { useWayBack } from '../../ui/use-way-back.js';
import type { Outcome } from './register-form.js';

/**
 * Signs in to an account that is active since its registration, with the password that was just typed. On the way to an app, or if the
 * sign-in fails, the page says that the account is ready.
 */
export function FirstSignIn({ email, password }: Pick<Outcome, 'email' | 'password'>) {
  const { register, signIn, frame } = useTexts('entry');
  const enter = useEnter();
  const navigate = useNavigate();
  // Only the native form of the sign-in page leads back to an app.
  const isForApp = useWayBack().cli !== undefined;
  const { error } = useQuery({
    queryKey: ['first-sign-in', email],
    queryFn: async () => {
      const isIn = await enter.send(() => loginWithPassword(email, password));
      if (isIn) enter.done(true);
      // A role demands a second factor: the sign-in page asks for it.
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
