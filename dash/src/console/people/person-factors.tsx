import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { When } from '../../ui/when.js';
import { AskedButton } from '../frame/asked-button.js';
import { DeedSection } from '../frame/deed-section.js';
import { keepFactorsOf, listFactorsOf, PEOPLE, resetFactorsOf } from './people-api.js';
import { useDeed } from '../frame/use-deed.js';

interface PersonFactorsProps {
  id: string;
  mayList: boolean;
  mayReset: boolean;
}

export function PersonFactors({ id, mayList, mayReset }: PersonFactorsProps) {
  const { people } = useTexts('people');
  const { factors: words } = useTexts('account');
  const deed = useDeed(PEOPLE);
  const read = useQuery({ queryKey: [...PEOPLE, 'factors', id], queryFn: () => listFactorsOf(id), enabled: mayList });
  const factors = read.data?.factors;
  const dueAt = read.data?.reset_due_at;
  return (
    <DeedSection
      title={words.section}
      deed={deed}
      {...(mayList && { read })}
      wording={{ no_second_factor: { text: people.noFactors } }}
    >
      {factors?.length === 0 && <div className={account.rowNote}>{people.noFactors}</div>}
      {read.data && factors && factors.length > 0 && (
        <>
          <ul className={account.rows}>
            {factors.map(({ id: key, type, name, created_at: added, last_used_at: used }) => (
              <li key={key} className={account.row}>
                <div className={account.rowText}>
                  <div className={account.rowName}>{name === 'TOTP' ? words.app : name}</div>
                  <div className={account.rowNote}>
                    {type === 'passkey' && `${people.passkey} · `}
                    {words.added(<When time={added} as="age" />)}
                    {' · '}
                    {used === null ? words.neverUsed : words.lastUsed(<When time={used} as="age" />)}
                  </div>
                </div>
              </li>
            ))}
          </ul>
          <div className={account.rowNote}>{people.codesLeft(read.data.recovery_codes)}</div>
        </>
      )}
      {dueAt !== undefined && <Notice tone="plain">{people.resetWaits(<When time={dueAt} />)}</Notice>}
      {mayReset && dueAt !== undefined && (
        <div>
          <Button variant="default" size="xs" onClick={() => deed.run(people.factorsStay, () => keepFactorsOf(id))}>
            {people.callOff}
          </Button>
        </div>
      )}
      {mayReset && dueAt === undefined && factors?.length !== 0 && (
        <div>
          <AskedButton
            text={people.resetFactors}
            question={people.resetSure}
            yes={people.resetNow}
            onYes={() =>
              deed.run(
                (waits: boolean) => (waits ? people.resetPlanned : people.factorsReset),
                () => resetFactorsOf(id),
              )
            }
          />
        </div>
      )}
    </DeedSection>
  );
}
