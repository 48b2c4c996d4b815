import { Button, Input } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { ErrorMessages } from '../../api/explain.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { ActionSection } from '../frame/action-section.js';
import { type PageAction, usePageAction } from '../frame/use-page-action.js';
import { SERVICE } from './service-api.js';
import classes from './service.module.css';

/** Polling interval, because the service retries pending items. */
const POLL_INTERVAL_MS = 10_000;

interface QueueProps<State extends string, Item> {
  part: 'mails' | 'jobs';
  states: readonly State[];
  texts: {
    readonly lead: string;
    readonly state: string;
    readonly all: string;
    readonly states: Readonly<Record<State, string>>;
    readonly none: string;
  };
  list: (
    state: State | null,
    cursor: string,
  ) => Promise<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>;
  messages: ErrorMessages;
  row: (item: Item, action: PageAction) => ReactNode;
  more?: (action: PageAction) => ReactNode;
}

export function Queue<State extends string, Item>({
  part,
  states,
  texts,
  list,
  messages,
  row,
  more,
}: QueueProps<State, Item>) {
  const { service } = useTexts('service');
  const id = useId();
  const [state, setState] = useState<State | null>(null);
  const action = usePageAction([...SERVICE, part]);
  const read = useInfiniteQuery({
    queryKey: [...SERVICE, part, state],
    queryFn: ({ pageParam }) => list(state, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: POLL_INTERVAL_MS,
  });
  const items = read.data?.pages.flatMap((page) => page.items);
  return (
    <ActionSection title={service.partNames[part]} lead={texts.lead} action={action} read={read} messages={messages}>
      {more?.(action)}
      <Input.Wrapper label={texts.state} id={id} className={classes.filter}>
        <Input
          component="select"
          id={id}
          value={state ?? ''}
          onChange={({ currentTarget }) => setState(states.find((one) => one === currentTarget.value) ?? null)}
        >
          <option value="">{texts.all}</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {texts.states[one]}
            </option>
          ))}
        </Input>
      </Input.Wrapper>
      {items?.length === 0 && <div className={account.rowNote}>{texts.none}</div>}
      {items && items.length > 0 && (
        <ul className={account.rows} aria-label={service.partNames[part]}>
          {items.map((item) => row(item, action))}
        </ul>
      )}
      {read.hasNextPage && (
        <div>
          <Button variant="default" size="sm" onClick={() => void read.fetchNextPage()}>
            {service.more}
          </Button>
        </div>
      )}
    </ActionSection>
  );
}

interface QueueRowProps {
  name: string;
  state: string;
  hasFailed: boolean;
  notes: ReactNode;
  fault: string | null;
  /** Missing without permission. */
  retry?: { readonly label: string; readonly name: string; readonly run: () => void };
}

export function QueueRow({ name, state, hasFailed, notes, fault, retry }: QueueRowProps) {
  return (
    <li className={`${account.row} ${classes.entry}`}>
      <div className={account.rowText}>
        <div>
          <span className={account.rowName}>{name}</span>{' '}
          <span className={classes.state} data-bad={hasFailed || undefined}>
            {state}
          </span>
        </div>
        <div className={account.rowNote}>{notes}</div>
        {fault !== null && <div className={classes.fault}>{fault}</div>}
      </div>
      {retry && (
        <Button variant="default" size="xs" aria-label={retry.name} onClick={retry.run}>
          {retry.label}
        </Button>
      )}
    </li>
  );
}
