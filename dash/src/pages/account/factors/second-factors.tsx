import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { explainInWords } from '../../../api/explain.js';
import type { OwnFactorList } from '../../../api/openapi.js';
import { beginApp, confirmApp, makeRecoveryCodes, OWN_FACTORS, removeFactor } from '../../../session/factors-api.js';
import { AddPasskey } from '../../factors/add-passkey.js';
import { addPasskey, hasPasskeys } from '../../../passkeys/passkeys.js';
import { useTexts } from '../../../texts/texts.js';
import { Loading } from '../../../ui/loading.js';
import { Notice } from '../../../ui/notice.js';
import { TryAgain } from '../../../ui/try-again.js';
import { When } from '../../../ui/when.js';
import styles from '../account.module.css';
import { Question } from '../question.js';
import { Section } from '../section.js';
import keyStyles from '../keys/keys.module.css';
import { AddApp } from '../../factors/add-app.js';
import { ShownCodes } from './shown-codes.js';

/** Open form of the section; `codes` confirms that new codes replace the existing ones. */
type Doing = 'add' | 'passkey' | 'codes' | null;

export function SecondFactors({ login }: { login: string }) {
  const { factors: words } = useTexts('account');
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const [doing, setDoing] = useState<Doing>(null);
  const [outcome, setOutcome] = useState<string | null>(null);
  const { data: own, error, refetch } = useQuery(OWN_FACTORS);
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: OWN_FACTORS.queryKey });
  const codes = useMutation({ mutationFn: makeRecoveryCodes, onSettled: renew, gcTime: 0 });
  const remove = useMutation({ mutationFn: removeFactor, onSuccess: () => tell(words.removed), onSettled: renew });
  function tell(text: string): void {
    setOutcome(text);
    setDoing(null);
    heading.current?.focus();
  }
  function added(text: string): void {
    // The factor may give access to data that was denied before.
    void queries.invalidateQueries({ queryKey: ['account'] });
    tell(text);
    // Without recovery codes, losing the phone would mean losing the account.
    if (own?.recovery_codes === 0) codes.mutate();
  }
  function hideCodes(): void {
    codes.reset();
    heading.current?.focus();
  }
  function takeOff(id: string): void {
    setOutcome(null);
    if (codes.error) codes.reset();
    if (!remove.isPending) remove.mutate(id);
  }
  function renewCodes(): void {
    setOutcome(null);
    remove.reset();
    if (!codes.isPending) codes.mutate();
  }
  const problem = remove.error ?? codes.error;
  return (
    <Section title={words.section} lead={words.sectionLead} headingRef={heading}>
      {outcome !== null && <Notice tone="success">{outcome}</Notice>}
      {problem && <Notice tone="problem">{explainInWords(problem)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !own && <Loading />}
      {own?.reset_due_at && <Notice tone="plain">{words.removalWaits(<When time={own.reset_due_at} />)}</Notice>}
      {own && <Factors own={own} onRemove={takeOff} />}
      {codes.data && <ShownCodes codes={codes.data} login={login} onDone={hideCodes} />}
      {doing === 'add' && (
        <AddApp
          begin={beginApp}
          confirm={confirmApp}
          onAdded={() => added(words.ready)}
          onCancel={() => setDoing(null)}
        />
      )}
      {doing === 'passkey' && (
        <AddPasskey add={addPasskey} onAdded={() => added(words.passkeyReady)} onCancel={() => setDoing(null)} />
      )}
      {doing === 'codes' && (
        <Question
          label={words.newCodes}
          text={words.newCodesSure}
          yes={words.newCodesNow}
          onYes={() => {
            setDoing(null);
            renewCodes();
          }}
          onNo={() => setDoing(null)}
        />
      )}
      {own && doing === null && !codes.data && (
        <div className={styles.actions}>
          <Button variant="default" size="sm" onClick={() => setDoing('add')}>
            {words.add}
          </Button>
          {hasPasskeys() && (
            <Button variant="default" size="sm" onClick={() => setDoing('passkey')}>
              {words.addPasskey}
            </Button>
          )}
          {own.factors.length > 0 && (
            <Button
              variant="default"
              size="sm"
              onClick={() => (own.recovery_codes > 0 ? setDoing('codes') : renewCodes())}
            >
              {own.recovery_codes > 0 ? words.newCodes : words.makeCodes}
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

function Factors({ own, onRemove }: { own: OwnFactorList; onRemove: (id: string) => void }) {
  const { factors: words } = useTexts('account');
  if (own.factors.length === 0) return <div className={styles.rowNote}>{words.none}</div>;
  return (
    <>
      <ul className={styles.rows}>
        {own.factors.map((factor) => (
          <FactorItem key={factor.id} factor={factor} onRemove={() => onRemove(factor.id)} />
        ))}
      </ul>
      {own.recovery_codes > 0 ? (
        <div className={styles.rowNote}>{words.codesLeft(own.recovery_codes)}</div>
      ) : (
        <Notice tone="plain">{words.noCodes}</Notice>
      )}
    </>
  );
}

function FactorItem({ factor, onRemove }: { factor: OwnFactorList['factors'][number]; onRemove: () => void }) {
  const { factors: words } = useTexts('account');
  const [isAsking, setAsking] = useState(false);
  const { created_at: created, last_used_at: used } = factor;
  // Default name of the service for a factor without a name.
  const name = factor.name === 'TOTP' ? words.app : factor.name;
  const kept = factor.type === 'passkey' ? words.where(factor.backed_up === true) : null;
  return (
    <li className={`${styles.row} ${keyStyles.item}`}>
      <div className={styles.rowText}>
        <div className={styles.rowName}>{name}</div>
        <div className={styles.rowNote}>
          {kept !== null && `${kept} · `}
          {words.added(<When time={created} as="age" />)}
          {' · '}
          {used === null ? words.neverUsed : words.lastUsed(<When time={used} as="age" />)}
        </div>
      </div>
      {isAsking ? (
        <Question
          label={words.removeOne(name)}
          text={words.removeSure}
          yes={words.removeNow}
          onYes={onRemove}
          onNo={() => setAsking(false)}
        />
      ) : (
        <Button variant="default" size="xs" aria-label={words.removeOne(name)} onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      )}
    </li>
  );
}
