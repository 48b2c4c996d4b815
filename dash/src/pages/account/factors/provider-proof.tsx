import { Button, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { explainAsText } from '../../../api/explain.js';
import { getProofLocation, listIdentities } from '../../../session/identities-api.js';
import { useTexts } from '../../../texts/texts.js';
import { Loading } from '../../../ui/loading.js';
import { Notice } from '../../../ui/notice.js';
import { providerName } from '../../../ui/provider-name.js';
import { IDENTITIES } from '../identities.js';

interface ProviderProofProps {
  offered: readonly string[];
  /** Provider that created the account; null if there is none. */
  own: string | null;
  onCancel: () => void;
}

/** Starts a step-up with a linked provider, for accounts without a password. The browser leaves the page. */
export function ProviderProof({ offered, own, onCancel }: ProviderProofProps) {
  const { factors, forms, signIn } = useTexts('account');
  const { data: identities, isPending } = useQuery({ queryKey: IDENTITIES, queryFn: listIdentities });
  const redirect = useMutation({
    mutationFn: getProofLocation,
    onSuccess: (location) => window.location.assign(location),
  });
  if (isPending) return <Loading />;
  // The service denies the list to an account that must first add a second factor.
  const names = identities?.map(({ provider }) => provider) ?? [own];
  const linked = offered.filter((name) => names.includes(name));
  const [first] = linked;
  return (
    <Stack>
      <div>{first === undefined ? factors.proof.signIn : factors.proof.provider}</div>
      {redirect.error && <Notice tone="problem">{explainAsText(redirect.error)}</Notice>}
      {linked.map((name) => (
        <Button
          key={name}
          autoFocus={name === first}
          loading={redirect.isPending}
          onClick={() => redirect.mutate(name)}
        >
          {signIn.continueWith(providerName(name))}
        </Button>
      ))}
      <Button variant="default" autoFocus={first === undefined} onClick={onCancel}>
        {first === undefined ? factors.proof.close : forms.cancel}
      </Button>
    </Stack>
  );
}
