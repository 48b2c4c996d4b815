import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { explainAsText } from '../../api/explain.js';
import { listServiceAccounts, removeServiceAccount, SERVICE_ACCOUNTS } from '../../session/keys-api.js';
import { useSession } from '../../session/use-session.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { TryAgain } from '../../ui/try-again.js';
import account from '../account/account.module.css';
import { ProofDialog } from '../account/factors/proof-dialog.js';
import { LeaveDialog } from '../account/leave-dialog.js';
import { useTexts } from '../../texts/texts.js';
import { Section } from '../account/section.js';
import { NewServiceAccount } from './new-service-account.js';
import { ServiceAccountItem } from './service-account-item.js';

export function ServiceAccountsPage() {
  const { programs } = useTexts('account');
  const session = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const { data: accounts, error, refetch } = useQuery({ queryKey: SERVICE_ACCOUNTS, queryFn: listServiceAccounts });
  const remove = useMutation({
    mutationFn: removeServiceAccount,
    onSuccess: () => heading.current?.focus(),
    onSettled: () => queries.invalidateQueries({ queryKey: SERVICE_ACCOUNTS, exact: true }),
  });
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  return (
    <Page wide title={programs.title} lead={programs.lead}>
      <ProofDialog />
      <LeaveDialog />
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !accounts && <Loading />}
      {accounts && (
        <>
          <Section title={programs.all} headingRef={heading}>
            {remove.isSuccess && <Notice tone="success">{programs.removed}</Notice>}
            {remove.error && <Notice tone="problem">{explainAsText(remove.error)}</Notice>}
            {accounts.length === 0 && <div className={account.rowNote}>{programs.none}</div>}
            {accounts.length > 0 && (
              <ul className={account.rows}>
                {accounts.map((item) => (
                  <ServiceAccountItem
                    key={item.id}
                    program={item}
                    onRemove={() => remove.isPending || remove.mutate(item.id)}
                  />
                ))}
              </ul>
            )}
          </Section>
          <NewServiceAccount />
        </>
      )}
    </Page>
  );
}
