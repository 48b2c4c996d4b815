import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ApiKey, NewApiKey } from '../../../api/openapi.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm } from '../../../forms/use-form.js';
import type { KeyStore } from '../../../session/keys-api.js';
import { When } from '../../../ui/when.js';
import styles from '../account.module.css';
import { FormButtons } from '../../../forms/form-buttons.js';
import { describeScopes } from './key-scopes.js';
import classes from './keys.module.css';
import { useTexts } from '../../../texts/texts.js';
import { Question } from '../question.js';

interface KeyItemProps {
  apiKey: ApiKey;
  store: KeyStore;
  onReplaced: (key: NewApiKey) => void;
  onEnd: () => void;
}

export function KeyItem({ apiKey, store, onReplaced, onEnd }: KeyItemProps) {
  const { keys } = useTexts('account');
  const [activeForm, setActiveForm] = useState<'replace' | 'end' | null>(null);
  const last = useRef<'replace' | 'end' | null>(null);
  const replaceButton = useRef<HTMLButtonElement>(null);
  const endButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (activeForm === null && last.current !== null)
      (last.current === 'replace' ? replaceButton : endButton).current?.focus();
    last.current = activeForm;
  }, [activeForm]);
  const { name, prefix, scopes, addresses } = apiKey;
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return (
    <li className={`${styles.row} ${classes.item}`}>
      <div className={styles.rowText}>
        <div className={styles.rowName}>
          {name} <span className={classes.prefix}>{prefix}…</span>
        </div>
        <div className={styles.rowNote}>{keys.allowed(describeScopes(scopes, store.of))}</div>
        {addresses && <div className={styles.rowNote}>{keys.allowedAddresses(addresses.join(', '))}</div>}
        <div className={styles.rowNote}>
          <Uses apiKey={apiKey} isExpired={isExpired} />
        </div>
      </div>
      {activeForm === null && (
        <div className={classes.buttons}>
          {!isExpired && apiKey.rotated_at === null && (
            <Button
              ref={replaceButton}
              variant="default"
              size="xs"
              aria-label={keys.replaceOne(name, prefix)}
              onClick={() => setActiveForm('replace')}
            >
              {keys.replace}
            </Button>
          )}
          <Button
            ref={endButton}
            variant="default"
            size="xs"
            aria-label={keys.revokeOne(name, prefix)}
            onClick={() => (isExpired ? onEnd() : setActiveForm('end'))}
          >
            {keys.revoke}
          </Button>
        </div>
      )}
      {activeForm === 'replace' && (
        <ReplaceForm
          apiKey={apiKey}
          store={store}
          onCancel={() => setActiveForm(null)}
          onReplaced={(key) => {
            last.current = null;
            setActiveForm(null);
            onReplaced(key);
          }}
        />
      )}
      {activeForm === 'end' && (
        <Question
          label={keys.revokeOne(name, prefix)}
          text={keys.revokeConfirm}
          confirmLabel={keys.revokeNow}
          onConfirm={onEnd}
          onCancel={() => setActiveForm(null)}
        />
      )}
    </li>
  );
}

function Uses({ apiKey, isExpired }: { apiKey: ApiKey; isExpired: boolean }) {
  const { last_used_at: lastUsed, expires_at: expires, rotated_at: rotated } = apiKey;
  const { keys } = useTexts('account');
  const until = isExpired ? keys.expired : rotated === null ? keys.expires : keys.expiresAfterReplacement;
  return (
    <>
      {lastUsed === null ? keys.neverUsed : keys.lastUsed(<When time={lastUsed} as="age" />)}
      {expires !== null && (
        <>
          {' · '}
          {until(<When time={expires} {...(rotated === null && { as: 'date' as const })} />)}
        </>
      )}
    </>
  );
}

interface ReplaceFormProps {
  apiKey: ApiKey;
  store: KeyStore;
  onReplaced: (key: NewApiKey) => void;
  onCancel: () => void;
}

function ReplaceForm({ apiKey: { id, name, prefix }, store, onReplaced, onCancel }: ReplaceFormProps) {
  const { keys } = useTexts('account');
  const form = useForm({
    send: ({ overlap_hours = '' }) => store.replace(id, { overlap_hours: Number(overlap_hours) }),
    done: onReplaced,
    messages: {
      key_rotated: { text: keys.replaced },
      key_not_found: { text: keys.alreadyRevoked },
      too_many_keys: { text: keys.tooMany },
    },
  });
  return (
    <form {...form.props} aria-label={keys.replaceOne(name, prefix)} className={classes.below}>
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={keys.hours}
          description={keys.replaceLead}
          name="overlap_hours"
          type="number"
          min={0}
          max={720}
          defaultValue="24"
          required
          withAsterisk={false}
          error={form.error('overlap_hours')}
          autoFocus
        />
        <FormButtons submit={keys.replace} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
