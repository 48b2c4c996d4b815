import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.js';
import { useMethods } from '../../api/use-methods.js';
import { getCurrentUser, listSessions } from '../../session/account-api.js';
import { OWN_FACTORS } from '../../session/factors-api.js';
import { listIdentities } from '../../session/identities-api.js';
import { useSession } from '../../session/use-session.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import { providerName } from '../../ui/provider-name.js';
import { useCallbackError } from '../../ui/use-callback-error.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { getPermissions, OWN_KEYS, PERMISSIONS } from '../../session/keys-api.js';
import { EmailChange } from './email-change.js';
import { ProofDialog } from './factors/proof-dialog.js';
import { FactorFirst } from './factors/factor-first.js';
import { SecondFactors } from './factors/second-factors.js';
import { IDENTITIES, Identities } from './identities.js';
import { ApiKeys } from './keys/api-keys.js';
import { DeleteAccount } from './delete-account.js';
import { LeaveDialog } from './leave-dialog.js';
import { PasswordChange } from './password-change.js';
import { Profile } from './profile.js';
import { Sessions, SESSIONS } from './sessions.js';
import { ExportAccount } from './export-account.js';
import { useTexts } from '../../texts/texts.js';

export function AccountPage() {
  const t = useTexts('account');
  const session = useSession();
  const { data: user, error, refetch } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  // Waits for all parts, so that late ones do not shift the layout.
  const identities = useQuery({ queryKey: IDENTITIES, queryFn: listIdentities });
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: listSessions });
  const keys = useQuery({ queryKey: OWN_KEYS.queryKey, queryFn: OWN_KEYS.list });
  const factors = useQuery(OWN_FACTORS);
  const permissions = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const methods = useMethods();
  const problem = useCallbackError();
  const proven = useCallbackParameter('proven');
  const isLoading =
    (!user && !error) || [identities, sessions, keys, factors, permissions, methods].some(({ isPending }) => isPending);
  const mustEnrol = [identities, sessions, keys, permissions].some(
    ({ error: reason }) => reason instanceof ApiError && reason.code === 'mfa_enrollment_required',
  );
  const isFactorFirst = mustEnrol && user !== undefined;
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  return (
    <Page
      key={session.status === 'signed-in' ? session.account : ''}
      wide
      title={t.account.title}
      lead={user && t.account.lead(user.login)}
    >
      <ProofDialog />
      <LeaveDialog />
      {problem && <Notice tone="problem">{problem.text}</Notice>}
      {proven && <Notice tone="success">{t.account.proven(providerName(proven))}</Notice>}
      {error && <TryAgain error={error} onRetry={() => void refetch()} />}
      {isLoading ? (
        <Loading />
      ) : (
        <>
          {isFactorFirst && <FactorFirst />}
          {user && !isFactorFirst && (
            <>
              <Profile user={user} />
              {isLocal(user.provider) && <EmailChange />}
              {isLocal(user.provider) && methods.data?.local && <PasswordChange login={user.login} />}
            </>
          )}
          {/* Same position in both cases, so that the component keeps its state: recovery codes stay visible after a factor was added. */}
          {user && <SecondFactors login={user.login} />}
          {!isFactorFirst && (
            <>
              <Identities />
              <Sessions />
              {user && <ApiKeys permissions={permissions.data} />}
              <ExportAccount />
              {user && <DeleteAccount login={user.login} />}
            </>
          )}
        </>
      )}
    </Page>
  );
}

/** Whether the account manages its own address. Provider accounts get it from their provider. */
function isLocal(provider: string | null | undefined): boolean {
  return !provider || provider === 'local';
}
