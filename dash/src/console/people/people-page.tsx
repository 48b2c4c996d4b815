import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { When } from '../../ui/when.js';
import { ConsolePage } from '../frame/console-page.js';
import { InviteSection } from './invite-section.js';
import classes from './people.module.css';
import { listPeople, PEOPLE } from './people-api.js';
import { isOpen, nameOfPerson, type Person } from './people-query.js';
import { PersonState } from './person-state.js';

const route = getRouteApi('/dash/people');
const PAUSE_MS = 250;

export function PeoplePage() {
  const { people } = useTexts('people');
  const { data: permissions, error, refetch } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  return (
    <ConsolePage title={people.title} lead={people.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !permissions && <Loading />}
      {permissions && (
        <>
          {!canListNobody(permissions) && <Search />}
          {canListNobody(permissions) ? (
            <Notice tone="plain">{people.none}</Notice>
          ) : (
            <List permissions={permissions} />
          )}
          {isOpen(permissions, 'user', 'create', 'invite') && <InviteSection permissions={permissions} />}
        </>
      )}
    </ConsolePage>
  );
}

/** Returns whether accounts are listed without their ids, which all actions need. */
function canListNobody(permissions: Permissions): boolean {
  return isOpen(permissions, 'user', 'list') && !isOpen(permissions, 'user', 'list', 'id');
}

function Search() {
  const { people } = useTexts('people');
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const [text, setText] = useState(q);
  useEffect(() => {
    if (text === q) return;
    const { pathname } = history.location;
    const timer = window.setTimeout(() => {
      // The user may have followed a link in the meantime.
      if (history.location.pathname !== pathname) return;
      void navigate({ search: text.trim() === '' ? {} : { q: text }, replace: true });
    }, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, q, navigate, history]);
  return (
    <TextInput
      type="search"
      label={people.search}
      description={people.searchHint}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={200}
      className={account.narrow}
    />
  );
}

function List({ permissions }: { permissions: Permissions }) {
  const { people } = useTexts('people');
  const { q = '' } = route.useSearch();
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...PEOPLE, 'list', q.trim()],
    queryFn: ({ pageParam }) => listPeople(permissions, q, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  if (error) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const found = data.pages.flatMap(({ items }) => items);
  return (
    <>
      <div role="status" className={account.rowNote}>
        {found.length === 0 && (q.trim() === '' ? people.none : people.noneFound(q.trim()))}
      </div>
      {found.length > 0 && (
        <ul className={account.rows} aria-label={people.title}>
          {found.map((person) => (
            <Row key={person.id} person={person} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div>
          <Button variant="default" size="sm" onClick={() => isFetchingNextPage || void fetchNextPage()}>
            {people.more}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ person }: { person: Person }) {
  const { people } = useTexts('people');
  const { id, email, roles, created_at: since } = person;
  const name = nameOfPerson(person);
  return (
    <li className={`${account.row} ${classes.person}`}>
      <div className={account.rowText}>
        <RouteLink to="/dash/people/$id" params={{ id }} className={account.rowName}>
          {name}
        </RouteLink>
        {email !== undefined && email !== name && <div className={account.rowNote}>{email}</div>}
      </div>
      <div className={account.rowNote}>{roles?.map((role) => role.name).join(', ')}</div>
      <div className={account.rowNote}>{since && people.since(<When time={since} as="date" />)}</div>
      <div>
        <PersonState person={person} />
      </div>
    </li>
  );
}
