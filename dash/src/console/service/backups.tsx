import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { sizeText } from '../../ui/size-text.js';
import { DeedSection } from '../frame/deed-section.js';
import { useDeed } from '../frame/use-deed.js';
import { useMay } from '../frame/use-may.js';
import { listBackups, requestBackup, SERVICE } from './service-api.js';

const LOOK_AGAIN_MS = 10_000;
/** Polling interval while a backup is running. */
const LOOK_SOON_MS = 1_000;

export function Backups() {
  const { service, locale } = useTexts('service');
  const { backups: words } = service;
  const may = useMay();
  const deed = useDeed([...SERVICE, 'backups']);
  const read = useQuery({
    queryKey: [...SERVICE, 'backups'],
    queryFn: listBackups,
    refetchInterval: ({ state }) => (state.data?.requested === true ? LOOK_SOON_MS : LOOK_AGAIN_MS),
  });
  const { data } = read;
  return (
    <DeedSection title={service.partNames.backups} lead={words.lead} deed={deed} read={read}>
      {data && !data.embedded && <div className={account.rowNote}>{words.elsewhere}</div>}
      {data?.embedded && (
        <>
          <div className={account.rowNote}>{data.scheduled ? words.scheduled(data.keep_days) : words.byHand}</div>
          {data.items.length === 0 && <div className={account.rowNote}>{words.none}</div>}
          {data.items.length > 0 && (
            <ul className={account.rows} aria-label={service.partNames.backups}>
              {data.items.map(({ id, started_at: started, ended_at: ended, bytes }) => (
                <li key={id} className={account.row}>
                  <div className={account.rowText}>
                    <div className={account.rowName}>
                      <When time={ended} />
                    </div>
                    <div className={account.rowNote}>
                      {sizeText(bytes, locale)} · {words.took(Date.parse(ended) - Date.parse(started))} ·{' '}
                      <code>{id}</code>
                    </div>
                  </div>
                </li>
              ))}
            </ul>
          )}
          {data.requested && <div role="status">{words.underWay}</div>}
          {may('backups.create') && !data.requested && (
            <div>
              <Button loading={deed.isBusy} onClick={() => deed.run(words.asked, requestBackup)}>
                {words.make}
              </Button>
            </div>
          )}
        </>
      )}
    </DeedSection>
  );
}
