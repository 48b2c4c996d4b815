import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { NewApiKey } from '../../../api/openapi.js';
import { useShownOnce } from '../../../session/shown-once.js';
import { Notice } from '../../../ui/notice.js';
import classes from './keys.module.css';
import { useTexts } from '../../../texts/texts.js';
import { copyText } from '../../../ui/copy-text.js';

interface ShownKeyProps {
  apiKey: NewApiKey;
  onDone: () => void;
}

export function ShownKey({ apiKey, onDone }: ShownKeyProps) {
  const { keys } = useTexts('account');
  const input = useRef<HTMLInputElement>(null);
  const container = useRef<HTMLDivElement>(null);
  useShownOnce(container);
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => input.current?.select(), []);
  async function copy(): Promise<void> {
    const isCopied = await copyText(apiKey.key);
    if (!isCopied) input.current?.select();
    setOutcome(isCopied ? keys.copied : keys.copyByHand);
  }
  return (
    <div ref={container} className={classes.shown} role="group" aria-label={keys.shown(apiKey.name)}>
      <Notice tone="success">{keys.shown(apiKey.name)}</Notice>
      <TextInput
        ref={input}
        className={classes.key}
        label={keys.shownLabel}
        description={keys.shownHint}
        value={apiKey.key}
        readOnly
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={classes.buttons}>
        <Button size="sm" onClick={() => void copy()}>
          {keys.copy}
        </Button>
        <Button variant="default" size="sm" onClick={onDone}>
          {keys.done}
        </Button>
      </div>
      {outcome !== null && <Notice tone="plain">{outcome}</Notice>}
    </div>
  );
}
