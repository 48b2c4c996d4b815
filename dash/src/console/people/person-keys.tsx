import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AnyApiKey } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { describeScopes } from '../../pages/account/keys/key-scopes.js';
import keyClasses from '../../pages/account/keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { ActionSection } from '../frame/action-section.js';
import { revokeKeyOf, listKeysOf, PEOPLE } from './people-api.js';
import { usePageAction } from '../frame/use-page-action.js';

export function PersonKeys({ id, canRevoke }: { id: string; canRevoke: boolean }) {
  const { people } = useTexts('people');
  const { keys: keyTexts } = useTexts('account');
  const queryKey = [...PEOPLE, 'keys', id];
  const action = usePageAction(queryKey);
  const read = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => listKeysOf(id, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const keys = read.data?.pages.flatMap(({ items }) => items);
  return (
    <ActionSection
      title={keyTexts.title}
      action={action}
      read={read}
      messages={{ key_not_found: { text: keyTexts.alreadyRevoked } }}
    >
      {keys?.length === 0 && <div className={account.rowNote}>{people.noKeys}</div>}
      {keys && keys.length > 0 && (
        <ul className={account.rows}>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              {...(canRevoke && { onEnd: () => action.run(keyTexts.revoked, () => revokeKeyOf(key.id)) })}
            />
          ))}
        </ul>
      )}
      {read.hasNextPage && (
        <div>
          <Button variant="default" size="sm" onClick={() => void read.fetchNextPage()}>
            {people.more}
          </Button>
        </div>
      )}
    </ActionSection>
  );
}

function KeyRow({ apiKey, onEnd }: { apiKey: AnyApiKey; onEnd?: () => void }) {
  const { keys } = useTexts('account');
  const { name, prefix, scopes, addresses, last_used_at: used, expires_at: expires } = apiKey;
  const isExpired = expires !== null && Date.parse(expires) <= Date.now();
  return (
    <li className={`${account.row} ${keyClasses.item}`}>
      <div className={account.rowText}>
        <div className={account.rowName}>
          {name} <span className={keyClasses.prefix}>{prefix}…</span>
        </div>
        <div className={account.rowNote}>{keys.allowed(describeScopes(scopes, 'program'))}</div>
        {addresses && <div className={account.rowNote}>{keys.allowedAddresses(addresses.join(', '))}</div>}
        <div className={account.rowNote}>
          {used === null ? keys.neverUsed : keys.lastUsed(<When time={used} as="age" />)}
          {expires !== null && <> · {(isExpired ? keys.expired : keys.expires)(<When time={expires} as="date" />)}</>}
        </div>
      </div>
      {onEnd && (
        <ConfirmButton
          text={keys.revoke}
          label={keys.revokeOne(name, prefix)}
          question={keys.revokeConfirm}
          confirmLabel={keys.revokeNow}
          onConfirm={onEnd}
        />
      )}
    </li>
  );
}
