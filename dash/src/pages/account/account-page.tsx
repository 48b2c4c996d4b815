import { useQuery } from '@tanstack/react-query';
import { useMethods } from '../../api/use-methods.js';
import { getCurrentUser, listSessions } from '../../session/account-api.js';
import { listIdentities } from '../../session/identities-api.js';
import { useSession } from '../../session/use-session.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { providerName } from '../../ui/provider-name.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { useArrival } from '../../ui/use-arrival.js';
import { useArrivalError } from '../../ui/use-arrival-error.js';
import { EmailChange } from './email-change.js';
import { IDENTITIES, Identities } from './identities.js';
import { PasswordChange } from './password-change.js';
import { Profile } from './profile.js';
import { Sessions, SESSIONS } from './sessions.js';

/** The signed-in person's own account. */
export function AccountPage() {
  const session = useSession();
  const { data: user, error, refetch } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  // All parts appear at once: none pushes down what somebody reads already.
  const identities = useQuery({ queryKey: IDENTITIES, queryFn: listIdentities });
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: listSessions });
  const methods = useMethods();
  const linked = useArrival('linked');
  const problem = useArrivalError();
  const isComing = (!user && !error) || [identities, sessions, methods].some(({ isPending }) => isPending);
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  return (
    <Page
      key={session.status === 'signed-in' ? session.account : ''}
      wide
      title="Your account"
      lead={user && `Signed in as ${user.login}.`}
    >
      {problem && <Notice tone="problem">{problem.text}</Notice>}
      {linked && <Notice tone="success">{providerName(linked)} is linked to your account now.</Notice>}
      {error && <TryAgain error={error} onRetry={() => void refetch()} />}
      {isComing ? (
        <Loading />
      ) : (
        <>
          {user && <Profile user={user} />}
          {user && isLocal(user.provider) && <EmailChange />}
          {user && isLocal(user.provider) && methods.data?.local && <PasswordChange login={user.login} />}
          <Identities />
          <Sessions />
        </>
      )}
    </Page>
  );
}

/** Accounts of providers get their address from there. */
function isLocal(provider: string | null | undefined): boolean {
  return !provider || provider === 'local';
}
