import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { copyText } from '../../ui/copy-text.js';
import classes from './api-samples.module.css';

interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
}

/** Code with a copy button. If the browser denies access to the clipboard, the code is selected for manual copying. */
export function CodeBlock({ label, text }: CodeBlockProps) {
  const { reference } = useTexts('reference');
  const code = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  async function copy(): Promise<void> {
    const isDone = await copyText(text);
    if (!isDone && code.current) getSelection()?.selectAllChildren(code.current);
    setCopied({ text, isDone });
  }
  return (
    <div className={classes.block}>
      <pre ref={code} tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <div className={classes.copy}>
        <span role="status" className={classes.note}>
          {copied?.text === text && (copied.isDone ? reference.copied : reference.copyByHand)}
        </span>
        <Button size="xs" variant="default" aria-label={reference.copyOf(label)} onClick={() => void copy()}>
          {reference.copy}
        </Button>
      </div>
    </div>
  );
}
