import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { When } from '../../ui/when.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { ActionSection } from '../frame/action-section.js';
import { cancelFactorResetOf, listFactorsOf, PEOPLE, resetFactorsOf } from './people-api.js';
import { usePageAction } from '../frame/use-page-action.js';

interface PersonFactorsProps {
  id: string;
  canList: boolean;
  canReset: boolean;
}

export function PersonFactors({ id, canList, canReset }: PersonFactorsProps) {
  const { people } = useTexts('people');
  const { factors: factorTexts } = useTexts('account');
  const action = usePageAction(PEOPLE);
  const read = useQuery({ queryKey: [...PEOPLE, 'factors', id], queryFn: () => listFactorsOf(id), enabled: canList });
  const factors = read.data?.factors;
  const dueAt = read.data?.reset_due_at;
  return (
    <ActionSection
      title={factorTexts.section}
      action={action}
      {...(canList && { read })}
      messages={{ no_second_factor: { text: people.noFactors } }}
    >
      {factors?.length === 0 && <div className={account.rowNote}>{people.noFactors}</div>}
      {read.data && factors && factors.length > 0 && (
        <>
          <ul className={account.rows}>
            {factors.map(({ id: key, type, name, created_at: added, last_used_at: used }) => (
              <li key={key} className={account.row}>
                <div className={account.rowText}>
                  <div className={account.rowName}>{name === 'TOTP' ? factorTexts.app : name}</div>
                  <div className={account.rowNote}>
                    {type === 'passkey' && `${people.passkey} · `}
                    {factorTexts.added(<When time={added} as="age" />)}
                    {' · '}
                    {used === null ? factorTexts.neverUsed : factorTexts.lastUsed(<When time={used} as="age" />)}
                  </div>
                </div>
              </li>
            ))}
          </ul>
          <div className={account.rowNote}>{people.codesLeft(read.data.recovery_codes)}</div>
        </>
      )}
      {dueAt !== undefined && <Notice tone="plain">{people.resetScheduled(<When time={dueAt} />)}</Notice>}
      {canReset && dueAt !== undefined && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => action.run(people.resetCancelled, () => cancelFactorResetOf(id))}
          >
            {people.cancelReset}
          </Button>
        </div>
      )}
      {canReset && dueAt === undefined && factors?.length !== 0 && (
        <div>
          <ConfirmButton
            text={people.resetFactors}
            question={people.resetSure}
            confirmLabel={people.resetNow}
            onConfirm={() =>
              action.run(
                (waits: boolean) => (waits ? people.resetPlanned : people.factorsReset),
                () => resetFactorsOf(id),
              )
            }
          />
        </div>
      )}
    </ActionSection>
  );
}
