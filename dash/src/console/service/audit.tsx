import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { AuditEvent } from './audit-event.js';
import { AuditFilterForm } from './audit-filter-form.js';
import { readFilter } from './audit-query.js';
import { listEvents, SERVICE } from './service-api.js';

const route = getRouteApi('/dash/service');

/** Shows who did what, and when. That it was read is written down, too: it is not read again unasked. */
export function Audit() {
  const { service } = useTexts('service');
  const search: Readonly<Record<string, unknown>> = route.useSearch();
  const navigate = route.useNavigate();
  const filter = readFilter(search);
  const read = useInfiniteQuery({
    queryKey: [...SERVICE, 'audit', filter],
    queryFn: ({ pageParam }) => listEvents(filter, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  const events = read.data?.pages.flatMap(({ items }) => items);
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
          {events.map((event) => (
            <AuditEvent key={event.id} event={event} />
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
