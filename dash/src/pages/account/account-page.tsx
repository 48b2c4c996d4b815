import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { getCurrentUser } from '../../session/account-api.js';
import { useSession } from '../../session/use-session.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { EmailChange } from './email-change.js';
import { Identities } from './identities.js';
import { Profile } from './profile.js';
import { Sessions } from './sessions.js';

/** The signed-in person's own account. */
export function AccountPage() {
  const session = useSession();
  const { data: user, error, refetch } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  if (session.status === 'signed-out') return <Navigate to="/dash/login" replace />;
  return (
    <Page wide title="Your account" lead={user && `Signed in as ${user.login}.`}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !user && <Loading />}
      {user && <Profile user={user} />}
      {user && isLocal(user.provider) && <EmailChange />}
      <Identities />
      <Sessions />
    </Page>
  );
}

/** Accounts of providers get their address from there. */
function isLocal(provider: string | null | undefined): boolean {
  return !provider || provider === 'local';
}
