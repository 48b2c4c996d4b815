import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AnyApiKey } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { scopesInWords } from '../../pages/account/keys/key-scopes.js';
import keyClasses from '../../pages/account/keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { AskedButton } from '../frame/asked-button.js';
import { DeedSection } from '../frame/deed-section.js';
import { endKeyOf, listKeysOf, PEOPLE } from './people-api.js';
import { useDeed } from '../frame/use-deed.js';

export function PersonKeys({ id, mayEnd }: { id: string; mayEnd: boolean }) {
  const { people } = useTexts('people');
  const { keys: words } = useTexts('account');
  const queryKey = [...PEOPLE, 'keys', id];
  const deed = useDeed(queryKey);
  const read = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => listKeysOf(id, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const keys = read.data?.pages.flatMap(({ items }) => items);
  return (
    <DeedSection title={words.title} deed={deed} read={read} wording={{ key_not_found: { text: words.gone } }}>
      {keys?.length === 0 && <div className={account.rowNote}>{people.noKeys}</div>}
      {keys && keys.length > 0 && (
        <ul className={account.rows}>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              {...(mayEnd && { onEnd: () => deed.run(words.ended, () => endKeyOf(key.id)) })}
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
    </DeedSection>
  );
}

function KeyRow({ apiKey, onEnd }: { apiKey: AnyApiKey; onEnd?: () => void }) {
  const { keys } = useTexts('account');
  const { name, prefix, scopes, addresses, last_used_at: used, expires_at: expires } = apiKey;
  const isOver = expires !== null && Date.parse(expires) <= Date.now();
  return (
    <li className={`${account.row} ${keyClasses.item}`}>
      <div className={account.rowText}>
        <div className={account.rowName}>
          {name} <span className={keyClasses.prefix}>{prefix}…</span>
        </div>
        <div className={account.rowNote}>{keys.mayDo(scopesInWords(scopes, 'program'))}</div>
        {addresses && <div className={account.rowNote}>{keys.cameFrom(addresses.join(', '))}</div>}
        <div className={account.rowNote}>
          {used === null ? keys.neverUsed : keys.lastUsed(<When time={used} as="age" />)}
          {expires !== null && <> · {(isOver ? keys.expired : keys.expires)(<When time={expires} as="date" />)}</>}
        </div>
      </div>
      {onEnd && (
        <AskedButton
          text={keys.end}
          label={keys.endOne(name, prefix)}
          question={keys.endSure}
          yes={keys.endNow}
          onYes={onEnd}
        />
      )}
    </li>
  );
}
