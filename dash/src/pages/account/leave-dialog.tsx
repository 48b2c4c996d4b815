import { Title } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { getSessionState } from '../../session/session-state.js';
import { isShowingSecret, mayLeave, setLeaveAsker } from '../../session/shown-once.js';
import { useTexts } from '../../texts/texts.js';
import classes from './factors/factors.module.css';
import { Question } from './question.js';

/** Asks before a page is left that shows a secret once: before navigation, reload, tab close and sign-out. */
export function LeaveDialog() {
  const { shownOnce } = useTexts('account');
  const dialog = useRef<HTMLDialogElement>(null);
  const answer = useRef<((isSure: boolean) => void) | null>(null);
  const [isOpen, setOpen] = useState(false);
  const title = useId();
  useEffect(() => {
    setLeaveAsker(
      () =>
        new Promise((resolve) => {
          answer.current = resolve;
          setOpen(true);
        }),
    );
    return () => {
      setLeaveAsker(null);
      answer.current?.(true);
    };
  }, []);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  useBlocker({ shouldBlockFn: isBlocked, enableBeforeUnload: isShowingSecret });
  const close = useCallback((isSure: boolean) => {
    dialog.current?.close();
    setOpen(false);
    answer.current?.(isSure);
    answer.current = null;
  }, []);
  if (!isOpen) return null;
  return (
    <dialog ref={dialog} className={classes.dialog} aria-labelledby={title} onCancel={() => close(false)}>
      <Title order={2} id={title} className={classes.dialogTitle}>
        {shownOnce.title}
      </Title>
      <Question
        label={shownOnce.title}
        text={shownOnce.text}
        yes={shownOnce.leave}
        no={shownOnce.stay}
        onYes={() => close(true)}
        onNo={() => close(false)}
      />
    </dialog>
  );
}

interface Move {
  readonly current: { readonly pathname: string };
  readonly next: { readonly pathname: string };
}

/** Returns whether a navigation is blocked. The same page stays, and the end of the session leads to the sign-in without a question. */
async function isBlocked({ current, next }: Move): Promise<boolean> {
  if (current.pathname === next.pathname || getSessionState().status !== 'signed-in') return false;
  return !(await mayLeave());
}
