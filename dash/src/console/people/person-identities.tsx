import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { providerName } from '../../ui/provider-name.js';
import { TryAgain } from '../../ui/try-again.js';
import { When } from '../../ui/when.js';
import { listIdentitiesOf, PEOPLE } from './people-api.js';

export function PersonIdentities({ id }: { id: string }) {
  const { people } = useTexts('people');
  const { providers } = useTexts('account').account;
  const { data, error, refetch } = useQuery({
    queryKey: [...PEOPLE, 'identities', id],
    queryFn: () => listIdentitiesOf(id),
  });
  return (
    <Section title={providers.title}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !data && <Loading />}
      {data?.length === 0 && <div className={account.rowNote}>{people.noIdentities}</div>}
      {data && data.length > 0 && (
        <ul className={account.rows}>
          {data.map((identity) => (
            <li key={identity.id} className={account.row}>
              <div className={account.rowText}>
                <div className={account.rowName}>{providerName(identity.provider)}</div>
                <div className={account.rowNote}>
                  {identity.email && `${identity.email} · `}
                  {providers.linked(<When time={identity.created_at} as="age" />)}
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
