import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { explainAsText } from '../../../api/explain.js';
import type { OwnFactorList } from '../../../api/openapi.js';
import { startApp, confirmApp, createRecoveryCodes, OWN_FACTORS, removeFactor } from '../../../session/factors-api.js';
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
type ActiveForm = 'add' | 'passkey' | 'codes' | null;

export function SecondFactors({ login }: { login: string }) {
  const { factors: texts } = useTexts('account');
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const [activeForm, setActiveForm] = useState<ActiveForm>(null);
  const [outcome, setOutcome] = useState<string | null>(null);
  const { data: own, error, refetch } = useQuery(OWN_FACTORS);
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: OWN_FACTORS.queryKey });
  const codes = useMutation({ mutationFn: createRecoveryCodes, onSettled: renew, gcTime: 0 });
  const remove = useMutation({
    mutationFn: removeFactor,
    onSuccess: () => showOutcome(texts.removed),
    onSettled: renew,
  });
  function showOutcome(text: string): void {
    setOutcome(text);
    setActiveForm(null);
    heading.current?.focus();
  }
  function added(text: string): void {
    // The factor may give access to data that was denied before.
    void queries.invalidateQueries({ queryKey: ['account'] });
    showOutcome(text);
    // Without recovery codes, losing the phone would mean losing the account.
    if (own?.recovery_codes === 0) codes.mutate();
  }
  function hideCodes(): void {
    codes.reset();
    heading.current?.focus();
  }
  function startRemoval(id: string): void {
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
    <Section title={texts.section} lead={texts.sectionLead} headingRef={heading}>
      {outcome !== null && <Notice tone="success">{outcome}</Notice>}
      {problem && <Notice tone="problem">{explainAsText(problem)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !own && <Loading />}
      {own?.reset_due_at && <Notice tone="plain">{texts.removalScheduled(<When time={own.reset_due_at} />)}</Notice>}
      {own && <Factors own={own} onRemove={startRemoval} />}
      {codes.data && <ShownCodes codes={codes.data} login={login} onDone={hideCodes} />}
      {activeForm === 'add' && (
        <AddApp
          startEnrolment={startApp}
          confirm={confirmApp}
          onAdded={() => added(texts.ready)}
          onCancel={() => setActiveForm(null)}
        />
      )}
      {activeForm === 'passkey' && (
        <AddPasskey add={addPasskey} onAdded={() => added(texts.passkeyReady)} onCancel={() => setActiveForm(null)} />
      )}
      {activeForm === 'codes' && (
        <Question
          label={texts.newCodes}
          text={texts.newCodesSure}
          confirmLabel={texts.newCodesNow}
          onConfirm={() => {
            setActiveForm(null);
            renewCodes();
          }}
          onCancel={() => setActiveForm(null)}
        />
      )}
      {own && activeForm === null && !codes.data && (
        <div className={styles.actions}>
          <Button variant="default" size="sm" onClick={() => setActiveForm('add')}>
            {texts.add}
          </Button>
          {hasPasskeys() && (
            <Button variant="default" size="sm" onClick={() => setActiveForm('passkey')}>
              {texts.addPasskey}
            </Button>
          )}
          {own.factors.length > 0 && (
            <Button
              variant="default"
              size="sm"
              onClick={() => (own.recovery_codes > 0 ? setActiveForm('codes') : renewCodes())}
            >
              {own.recovery_codes > 0 ? texts.newCodes : texts.createCodes}
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

function Factors({ own, onRemove }: { own: OwnFactorList; onRemove: (id: string) => void }) {
  const { factors: texts } = useTexts('account');
  if (own.factors.length === 0) return <div className={styles.rowNote}>{texts.none}</div>;
  return (
    <>
      <ul className={styles.rows}>
        {own.factors.map((factor) => (
          <FactorItem key={factor.id} factor={factor} onRemove={() => onRemove(factor.id)} />
        ))}
      </ul>
      {own.recovery_codes > 0 ? (
        <div className={styles.rowNote}>{texts.codesLeft(own.recovery_codes)}</div>
      ) : (
        <Notice tone="plain">{texts.noCodes}</Notice>
      )}
    </>
  );
}

function FactorItem({ factor, onRemove }: { factor: OwnFactorList['factors'][number]; onRemove: () => void }) {
  const { factors: texts } = useTexts('account');
  const [isConfirming, setConfirming] = useState(false);
  const { created_at: created, last_used_at: used } = factor;
  // Default name of the service for a factor without a name.
  const name = factor.name === 'TOTP' ? texts.app : factor.name;
  const storage = factor.type === 'passkey' ? texts.where(factor.backed_up === true) : null;
  return (
    <li className={`${styles.row} ${keyStyles.item}`}>
      <div className={styles.rowText}>
        <div className={styles.rowName}>{name}</div>
        <div className={styles.rowNote}>
          {storage !== null && `${storage} · `}
          {texts.added(<When time={created} as="age" />)}
          {' · '}
          {used === null ? texts.neverUsed : texts.lastUsed(<When time={used} as="age" />)}
        </div>
      </div>
      {isConfirming ? (
        <Question
          label={texts.removeOne(name)}
          text={texts.removeSure}
          confirmLabel={texts.removeNow}
          onConfirm={onRemove}
          onCancel={() => setConfirming(false)}
        />
      ) : (
        <Button variant="default" size="xs" aria-label={texts.removeOne(name)} onClick={() => setConfirming(true)}>
          {texts.remove}
        </Button>
      )}
    </li>
  );
}
