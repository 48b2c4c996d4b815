import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { explainAsText } from '../../api/explain.js';
import { getLinkLocation, listIdentities, removeIdentity } from '../../session/identities-api.js';
import { useMethods } from '../../api/use-methods.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { providerName } from '../../ui/provider-name.js';
import { TryAgain } from '../../ui/try-again.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import classes from './account.module.css';
import { IdentityItem } from './identity-item.js';
import { LinkForm } from './link-form.js';
import { LinkButtons } from './link-buttons.js';
import { Section } from './section.js';
import { useTexts } from '../../texts/texts.js';

export const IDENTITIES = ['account', 'identities'];

export function Identities() {
  const { account } = useTexts('account');
  const { providers } = account;
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const { data: methods } = useMethods();
  const { data: identities, error, refetch } = useQuery({ queryKey: IDENTITIES, queryFn: listIdentities });
  const remove = useMutation({
    mutationFn: removeIdentity,
    onSuccess: () => heading.current?.focus(),
    onSettled: () => queries.invalidateQueries({ queryKey: IDENTITIES }),
  });
  const link = useMutation({
    mutationFn: (provider: string) => getLinkLocation(provider),
    onSuccess: (location) => window.location.assign(location),
    onError: (reason, provider) => needsPassword(reason) && setConfirmingProvider(provider),
  });
  const [confirmingProvider, setConfirmingProvider] = useState<string | null>(null);
  const linkedNow = useCallbackParameter('linked');
  // Moves the focus to the changed section after the return from the provider.
  const isLinkedShown = linkedNow !== null && identities !== undefined;
  useEffect(() => {
    if (isLinkedShown) heading.current?.focus();
  }, [isLinkedShown]);
  function unlink(id: string): void {
    link.reset();
    if (!remove.isPending) remove.mutate(id);
  }
  function startLink(provider: string): void {
    remove.reset();
    if (!link.isPending) link.mutate(provider);
  }
  const linked = identities?.map(({ provider }) => provider) ?? [];
  const available = methods?.providers.filter((provider) => !linked.includes(provider)) ?? [];
  const problem = remove.error ?? (needsPassword(link.error) ? null : link.error);
  if (!error && linked.length === 0 && available.length === 0) return null;
  return (
    <Section title={providers.title} lead={providers.lead} headingRef={heading}>
      {linkedNow && remove.isIdle && <Notice tone="success">{account.linkedNow(providerName(linkedNow))}</Notice>}
      {remove.isSuccess && <Notice tone="success">{providers.removed}</Notice>}
      {problem && <Notice tone="problem">{explainAsText(problem)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !identities && <Loading />}
      {identities && identities.length > 0 && (
        <ul className={classes.rows}>
          {identities.map((identity) => (
            <IdentityItem key={identity.id} identity={identity} onRemove={() => unlink(identity.id)} />
          ))}
        </ul>
      )}
      {confirmingProvider && (
        <LinkForm key={confirmingProvider} provider={confirmingProvider} onCancel={() => setConfirmingProvider(null)} />
      )}
      {identities && !confirmingProvider && <LinkButtons providers={available} onLink={startLink} />}
    </Section>
  );
}

/** Returns whether the service requires the current password. It does so for accounts with a password. */
function needsPassword(reason: unknown): boolean {
  return reason instanceof ApiError && reason.fields.some(({ field }) => field === 'current_password');
}
