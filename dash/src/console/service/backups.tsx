import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { sizeText } from '../../ui/size-text.js';
import { ActionSection } from '../frame/action-section.js';
import { usePageAction } from '../frame/use-page-action.js';
import { useCan } from '../frame/use-can.js';
import { listBackups, requestBackup, SERVICE } from './service-api.js';

const POLL_INTERVAL_MS = 10_000;
/** Polling interval while a backup is running. */
const ACTIVE_POLL_INTERVAL_MS = 1_000;

export function Backups() {
  const { service, locale } = useTexts('service');
  const { backups: texts } = service;
  const can = useCan();
  const action = usePageAction([...SERVICE, 'backups']);
  const read = useQuery({
    queryKey: [...SERVICE, 'backups'],
    queryFn: listBackups,
    refetchInterval: ({ state }) => (state.data?.requested === true ? ACTIVE_POLL_INTERVAL_MS : POLL_INTERVAL_MS),
  });
  const { data } = read;
  return (
    <ActionSection title={service.partNames.backups} lead={texts.lead} action={action} read={read}>
      {data && !data.embedded && <div className={account.rowNote}>{texts.elsewhere}</div>}
      {data?.embedded && (
        <>
          <div className={account.rowNote}>{data.scheduled ? texts.scheduled(data.keep_days) : texts.byHand}</div>
          {data.items.length === 0 && <div className={account.rowNote}>{texts.none}</div>}
          {data.items.length > 0 && (
            <ul className={account.rows} aria-label={service.partNames.backups}>
              {data.items.map(({ id, started_at: started, ended_at: ended, bytes }) => (
                <li key={id} className={account.row}>
                  <div className={account.rowText}>
                    <div className={account.rowName}>
                      <When time={ended} />
                    </div>
                    <div className={account.rowNote}>
                      {sizeText(bytes, locale)} · {texts.duration(Date.parse(ended) - Date.parse(started))} ·{' '}
                      <code>{id}</code>
                    </div>
                  </div>
                </li>
              ))}
            </ul>
          )}
          {data.requested && <div role="status">{texts.underWay}</div>}
          {can('backups.create') && !data.requested && (
            <div>
              <Button loading={action.isBusy} onClick={() => action.run(texts.requested, requestBackup)}>
                {texts.create}
              </Button>
            </div>
          )}
        </>
      )}
    </ActionSection>
  );
}
