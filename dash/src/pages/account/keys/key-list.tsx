import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { explainAsText } from '../../../api/explain.js';
import type { NewApiKey } from '../../../api/openapi.js';
import type { KeyStore } from '../../../session/keys-api.js';
import { Loading } from '../../../ui/loading.js';
import { Notice } from '../../../ui/notice.js';
import { TryAgain } from '../../../ui/try-again.js';
import account from '../account.module.css';
import { KeyItem } from './key-item.js';
import { useTexts } from '../../../texts/texts.js';
import { NewKeyForm } from './new-key-form.js';
import { ShownKey } from './shown-key.js';

interface KeyListProps {
  store: KeyStore;
  heading: RefObject<HTMLElement | null>;
}

export function KeyList({ store, heading }: KeyListProps) {
  const { keys: texts } = useTexts('account');
  const opener = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [shown, setShown] = useState<readonly NewApiKey[]>([]);
  const wasCreating = useRef(false);
  const { data: keys, error, refetch } = useQuery({ queryKey: store.queryKey, queryFn: store.list });
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: store.queryKey });
  const end = useMutation({ mutationFn: store.end, onSuccess: () => heading.current?.focus(), onSettled: renew });
  useEffect(() => {
    if (wasCreating.current && !isCreating && shown.length === 0) opener.current?.focus();
    wasCreating.current = isCreating;
  }, [isCreating, shown]);
  function show(key: NewApiKey): void {
    end.reset();
    // Keeps keys that are already displayed, because they are displayed only once.
    setShown((previous) => [...previous, key]);
    setCreating(false);
    void renew();
  }
  function hide({ id }: NewApiKey): void {
    setShown((previous) => previous.filter((key) => key.id !== id));
    heading.current?.focus();
  }
  return (
    <>
      {end.isSuccess && <Notice tone="success">{texts.revoked}</Notice>}
      {end.error && (
        <Notice tone="problem">{explainAsText(end.error, { key_not_found: { text: texts.alreadyRevoked } })}</Notice>
      )}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !keys && <Loading />}
      {shown.map((key) => (
        <ShownKey key={key.id} apiKey={key} onDone={() => hide(key)} />
      ))}
      {keys && keys.length > 0 && (
        <ul className={account.rows}>
          {keys.map((key) => (
            <KeyItem
              key={key.id}
              apiKey={key}
              store={store}
              onReplaced={show}
              onEnd={() => end.isPending || end.mutate(key.id)}
            />
          ))}
        </ul>
      )}
      {keys?.length === 0 && !isCreating && <div className={account.rowNote}>{texts.none[store.of]}</div>}
      {isCreating ? (
        <NewKeyForm store={store} onCreated={show} onCancel={() => setCreating(false)} />
      ) : (
        keys && (
          <div>
            <Button ref={opener} variant="default" size="sm" onClick={() => setCreating(true)}>
              {texts.create}
            </Button>
          </div>
        )
      )}
    </>
  );
}
