import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import type { AccountNames } from './account-names.js';
import { AuditEvent } from './audit-event.js';
import { AuditFilterForm } from './audit-filter-form.js';
import { combined, readFilter } from './audit-query.js';
import { listNamedEvents, SERVICE } from './service-api.js';

const route = getRouteApi('/dash/service');

/** Audit log. Every read is logged, too, so there are no automatic refetches. */
export function Audit() {
  const { service } = useTexts('service');
  const search: Readonly<Record<string, unknown>> = route.useSearch();
  const navigate = route.useNavigate();
  const filter = readFilter(search);
  const read = useInfiniteQuery({
    queryKey: [...SERVICE, 'audit', filter],
    queryFn: ({ pageParam }) => listNamedEvents(filter, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  const { data: permissions } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const pages = read.data?.pages;
  const events = pages && combined(pages.flatMap(({ items }) => items));
  const names = Object.assign({}, ...(pages ?? []).map((page) => page.names)) as AccountNames;
  return (
    <Section title={service.partNames.audit} lead={service.audit.lead}>
      <AuditFilterForm
        key={JSON.stringify(filter)}
        filter={filter}
        onFilter={(next) => void navigate({ search: { part: 'audit', ...next } })}
      />
      {read.error ? <TryAgain error={read.error} onRetry={() => void read.refetch()} /> : !events && <Loading />}
      {events?.length === 0 && (
        <div role="status" className={account.rowNote}>
          {service.audit.none}
        </div>
      )}
      {events && events.length > 0 && (
        <ul className={account.rows} aria-label={service.partNames.audit}>
          {events.map((shown) => (
            <AuditEvent key={shown.event.id} shown={shown} names={names} permissions={permissions ?? null} />
          ))}
        </ul>
      )}
      {read.hasNextPage && (
        <div>
          <Button
            variant="default"
            size="sm"
            loading={read.isFetchingNextPage}
            onClick={() => void read.fetchNextPage()}
          >
            {service.more}
          </Button>
        </div>
      )}
    </Section>
  );
}
