import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { NewApiKey } from '../../../api/openapi.js';
import { useShownOnce } from '../../../session/shown-once.js';
import { Notice } from '../../../ui/notice.js';
import classes from './keys.module.css';
import { useTexts } from '../../../texts/texts.js';
import { copyText } from '../../../ui/copy-text.js';

interface ShownKeyProps {
  made: NewApiKey;
  onDone: () => void;
}

export function ShownKey({ made, onDone }: ShownKeyProps) {
  const { keys } = useTexts('account');
  const input = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useShownOnce(place);
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => input.current?.select(), []);
  async function copy(): Promise<void> {
    const isCopied = await copyText(made.key);
    if (!isCopied) input.current?.select();
    setOutcome(isCopied ? keys.copied : keys.copyByHand);
  }
  return (
    <div ref={place} className={classes.shown} role="group" aria-label={keys.shown(made.name)}>
      <Notice tone="success">{keys.shown(made.name)}</Notice>
      <TextInput
        ref={input}
        className={classes.key}
        label={keys.shownLabel}
        description={keys.shownHint}
        value={made.key}
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
