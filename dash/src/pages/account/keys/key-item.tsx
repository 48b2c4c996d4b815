import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ApiKey, NewApiKey } from '../../../api/openapi.js';
import { FormProblem } from '../../../forms/form-problem.js';
import { useForm } from '../../../forms/use-form.js';
import type { KeyStore } from '../../../session/keys-api.js';
import { When } from '../../../ui/when.js';
import account from '../account.module.css';
import { FormButtons } from '../edit-section.js';
import { scopesInWords } from './key-scopes.js';
import classes from './keys.module.css';
import { KEYS_TEXTS } from './keys-texts.js';
import { ProofField, useProof } from './proof.js';
import { Question } from './question.js';

interface KeyItemProps {
  apiKey: ApiKey;
  store: KeyStore;
  hasPassword: boolean;
  onReplaced: (key: NewApiKey) => void;
  onEnd: () => void;
}

/** One key, by its beginning: what it may, where it may come from, how long, and what can be done with it. */
export function KeyItem({ apiKey, store, hasPassword, onReplaced, onEnd }: KeyItemProps) {
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
    <li className={`${account.row} ${classes.item}`}>
      <div className={account.rowText}>
        <div className={account.rowName}>
          {name} <span className={classes.prefix}>{prefix}…</span>
        </div>
        <div className={account.rowNote}>
          {KEYS_TEXTS.mayDo}
          {scopesInWords(scopes, store.of)}
        </div>
        {addresses && (
          <div className={account.rowNote}>
            {KEYS_TEXTS.cameFrom}
            {addresses.join(', ')}
          </div>
        )}
        <div className={account.rowNote}>
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
              aria-label={KEYS_TEXTS.replaceOne(name, prefix)}
              onClick={() => setDoing('replace')}
            >
              {KEYS_TEXTS.replace}
            </Button>
          )}
          <Button
            ref={endButton}
            variant="default"
            size="xs"
            aria-label={KEYS_TEXTS.endOne(name, prefix)}
            onClick={() => (isOver ? onEnd() : setDoing('end'))}
          >
            {KEYS_TEXTS.end}
          </Button>
        </div>
      )}
      {doing === 'replace' && (
        <ReplaceForm
          apiKey={apiKey}
          store={store}
          hasPassword={hasPassword}
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
          label={KEYS_TEXTS.endOne(name, prefix)}
          text={KEYS_TEXTS.endSure}
          yes={KEYS_TEXTS.endNow}
          onYes={onEnd}
          onNo={() => setDoing(null)}
        />
      )}
    </li>
  );
}

function Uses({ apiKey, isOver }: { apiKey: ApiKey; isOver: boolean }) {
  const { last_used_at: lastUsed, expires_at: expires, rotated_at: rotated } = apiKey;
  const until = isOver ? KEYS_TEXTS.expired : rotated === null ? KEYS_TEXTS.expires : KEYS_TEXTS.endsAfterReplacement;
  return (
    <>
      {lastUsed === null ? KEYS_TEXTS.neverUsed : KEYS_TEXTS.lastUsed}
      {lastUsed !== null && <When time={lastUsed} as="age" />}
      {expires !== null && (
        <>
          {' · '}
          {until}
          <When time={expires} {...(rotated === null && { as: 'date' as const })} />
        </>
      )}
    </>
  );
}

interface ReplaceFormProps {
  apiKey: ApiKey;
  store: KeyStore;
  hasPassword: boolean;
  onReplaced: (key: NewApiKey) => void;
  onCancel: () => void;
}

function ReplaceForm({ apiKey: { id, name, prefix }, store, hasPassword, onReplaced, onCancel }: ReplaceFormProps) {
  const form = useForm({
    send: ({ overlap_hours = '', current_password }) =>
      store.replace(id, { overlap_hours: Number(overlap_hours), ...(current_password && { current_password }) }),
    done: onReplaced,
    wording: {
      invalid_credentials: { text: KEYS_TEXTS.passwordWrong, fields: ['current_password'] },
      step_up_required: { text: hasPassword ? KEYS_TEXTS.passwordHint : KEYS_TEXTS.signInAgain },
      key_rotated: { text: KEYS_TEXTS.replaced },
      key_not_found: { text: KEYS_TEXTS.gone },
      too_many_keys: { text: KEYS_TEXTS.tooMany },
    },
  });
  const isAsking = useProof(form.cause, hasPassword);
  return (
    <form {...form.props} aria-label={KEYS_TEXTS.replaceOne(name, prefix)} className={classes.below}>
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={KEYS_TEXTS.hours}
          description={KEYS_TEXTS.replaceLead}
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
        {isAsking && <ProofField error={form.error('current_password')} />}
        <FormButtons submit={KEYS_TEXTS.replace} busy={form.busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
