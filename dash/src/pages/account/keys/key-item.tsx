import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ApiKey, NewApiKey } from '../../../api/openapi.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm } from '../../../forms/use-form.js';
import type { KeyStore } from '../../../session/keys-api.js';
import { When } from '../../../ui/when.js';
import styles from '../account.module.css';
import { FormButtons } from '../../../forms/form-buttons.js';
import { scopesInWords } from './key-scopes.js';
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
  const [doing, setDoing] = useState<'replace' | 'end' | null>(null);
  const last = useRef<'replace' | 'end' | null>(null);
  const replaceButton = useRef<HTMLButtonElement>(null);
  const endButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (doing === null && last.current !== null)
      (last.current === 'replace' ? replaceButton : endButton).current?.focus();
    last.current = doing;
  }, [doing]);
  const { name, prefix, scopes, addresses } = apiKey;
  const isOver = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return (
    <li className={`${styles.row} ${classes.item}`}>
      <div className={styles.rowText}>
        <div className={styles.rowName}>
          {name} <span className={classes.prefix}>{prefix}…</span>
        </div>
        <div className={styles.rowNote}>{keys.mayDo(scopesInWords(scopes, store.of))}</div>
        {addresses && <div className={styles.rowNote}>{keys.cameFrom(addresses.join(', '))}</div>}
        <div className={styles.rowNote}>
          <Uses apiKey={apiKey} isOver={isOver} />
        </div>
      </div>
      {doing === null && (
        <div className={classes.buttons}>
          {!isOver && apiKey.rotated_at === null && (
            <Button
              ref={replaceButton}
              variant="default"
              size="xs"
              aria-label={keys.replaceOne(name, prefix)}
              onClick={() => setDoing('replace')}
            >
              {keys.replace}
            </Button>
          )}
          <Button
            ref={endButton}
            variant="default"
            size="xs"
            aria-label={keys.endOne(name, prefix)}
            onClick={() => (isOver ? onEnd() : setDoing('end'))}
          >
            {keys.end}
          </Button>
        </div>
      )}
      {doing === 'replace' && (
        <ReplaceForm
          apiKey={apiKey}
          store={store}
          onCancel={() => setDoing(null)}
          onReplaced={(key) => {
            last.current = null;
            setDoing(null);
            onReplaced(key);
          }}
        />
      )}
      {doing === 'end' && (
        <Question
          label={keys.endOne(name, prefix)}
          text={keys.endSure}
          yes={keys.endNow}
          onYes={onEnd}
          onNo={() => setDoing(null)}
        />
      )}
    </li>
  );
}

function Uses({ apiKey, isOver }: { apiKey: ApiKey; isOver: boolean }) {
  const { last_used_at: lastUsed, expires_at: expires, rotated_at: rotated } = apiKey;
  const { keys } = useTexts('account');
  const until = isOver ? keys.expired : rotated === null ? keys.expires : keys.endsAfterReplacement;
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
    wording: {
      key_rotated: { text: keys.replaced },
      key_not_found: { text: keys.gone },
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
