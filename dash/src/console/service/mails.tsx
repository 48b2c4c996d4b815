import { Button, Input } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { MailPage } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { DeedSection } from '../frame/deed-section.js';
import { useDeed } from '../frame/use-deed.js';
import { useMay } from '../frame/use-may.js';
import { listMails, type MailState, retryMail, SERVICE } from './service-api.js';
import classes from './service.module.css';

/** What waits is tried by the service meanwhile. */
const LOOK_AGAIN_MS = 10_000;
const STATES: readonly MailState[] = ['pending', 'failed'];

/** Mails that were not sent yet, or were given up, tried again. */
export function Mails() {
  const { service } = useTexts('service');
  const words = service.mails;
  const id = useId();
  const may = useMay();
  const [state, setState] = useState<MailState | null>(null);
  const deed = useDeed([...SERVICE, 'mails']);
  const read = useInfiniteQuery({
    queryKey: [...SERVICE, 'mails', state],
    queryFn: ({ pageParam }) => listMails(state, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const mails = read.data?.pages.flatMap(({ items }) => items);
  return (
    <DeedSection
      title={service.partNames.mails}
      lead={words.lead}
      deed={deed}
      read={read}
      wording={{ mail_not_found: { text: words.gone } }}
    >
      <Input.Wrapper label={words.state} id={id} className={classes.filter}>
        <Input
          component="select"
          id={id}
          value={state ?? ''}
          onChange={({ currentTarget }) => setState(STATES.find((one) => one === currentTarget.value) ?? null)}
        >
          <option value="">{words.all}</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {words.states[one]}
            </option>
          ))}
        </Input>
      </Input.Wrapper>
      {mails?.length === 0 && <div className={account.rowNote}>{words.none}</div>}
      {mails && mails.length > 0 && (
        <ul className={account.rows} aria-label={service.partNames.mails}>
          {mails.map((mail) => (
            <MailRow
              key={mail.id}
              mail={mail}
              {...(may('mails.retry') && { onRetry: () => deed.run(words.retried, () => retryMail(mail.id)) })}
            />
          ))}
        </ul>
      )}
      {read.hasNextPage && (
        <div>
          <Button variant="default" size="sm" onClick={() => void read.fetchNextPage()}>
            {service.more}
          </Button>
        </div>
      )}
    </DeedSection>
  );
}

function MailRow({ mail, onRetry }: { mail: MailPage['items'][number]; onRetry?: () => void }) {
  const { mails: words } = useTexts('service').service;
  const { state, template, recipient, attempts, fault, created_at: created, due_at: due } = mail;
  return (
    <li className={`${account.row} ${classes.entry}`}>
      <div className={account.rowText}>
        <div>
          <span className={account.rowName}>{recipient}</span>{' '}
          <span className={classes.state} data-bad={state === 'failed' || undefined}>
            {words.states[state]}
          </span>
        </div>
        <div className={account.rowNote}>
          <code>{template}</code> · {words.written(<When time={created} as="age" />)} · {words.attempts(attempts)}
          {due !== null && <> · {words.due(<When time={due} />)}</>}
        </div>
        {fault !== null && <div className={classes.fault}>{fault}</div>}
      </div>
      {onRetry && (
        <Button variant="default" size="xs" aria-label={words.retryOne(template, recipient)} onClick={onRetry}>
          {words.retry}
        </Button>
      )}
    </li>
  );
}
