import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useShownOnce } from '../../../session/shown-once.js';
import { useTexts } from '../../../texts/texts.js';
import { APP_NAME } from '../../../ui/app-name.js';
import { copyText } from '../../../ui/copy-text.js';
import { Notice } from '../../../ui/notice.js';
import styles from '../account.module.css';
import classes from './factors.module.css';

interface ShownCodesProps {
  codes: string[];
  login: string;
  onDone: () => void;
}

export function ShownCodes({ codes, login, onDone }: ShownCodesProps) {
  const { factors } = useTexts('account');
  const [outcome, setOutcome] = useState<string | null>(null);
  const print = useRef<HTMLButtonElement>(null);
  const container = useRef<HTMLDivElement>(null);
  useShownOnce(container);
  useEffect(() => print.current?.focus(), []);
  async function copy(): Promise<void> {
    setOutcome((await copyText(codes.join('\n'))) ? factors.copied : factors.copyByHand);
  }
  return (
    <div ref={container} className={styles.section} role="group" aria-label={factors.codes}>
      <Notice tone="plain">{factors.storeCodes}</Notice>
      <div className={classes.sheet}>
        <p className={classes.forPaper}>{factors.printed(APP_NAME, login)}</p>
        <ul className={classes.codes} aria-label={factors.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className={styles.actions}>
        <Button ref={print} size="sm" onClick={() => window.print()}>
          {factors.print}
        </Button>
        <Button variant="default" size="sm" onClick={() => void copy()}>
          {factors.copy}
        </Button>
        <Button variant="default" size="sm" onClick={onDone}>
          {factors.codesSaved}
        </Button>
      </div>
      {outcome !== null && <Notice tone="plain">{outcome}</Notice>}
    </div>
  );
}
