import { Title } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { PageQuestion } from '../../session/question.js';
import classes from './factors/factors.module.css';

interface QuestionDialogProps {
  question: PageQuestion;
  title: string;
  children: (close: (answer: boolean) => void) => ReactNode;
}

export function QuestionDialog({ question, title, children }: QuestionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const answer = useRef<((answer: boolean) => void) | null>(null);
  const [isOpen, setOpen] = useState(false);
  const titleId = useId();
  useEffect(() => {
    question.setHandler(
      () =>
        new Promise((resolve) => {
          answer.current = resolve;
          setOpen(true);
        }),
    );
    return () => {
      question.setHandler(null);
      answer.current?.(question.otherwise);
    };
  }, [question]);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const close = useCallback((isConfirmed: boolean) => {
    dialog.current?.close();
    setOpen(false);
    answer.current?.(isConfirmed);
    answer.current = null;
  }, []);
  if (!isOpen) return null;
  return (
    <dialog ref={dialog} className={classes.dialog} aria-labelledby={titleId} onCancel={() => close(false)}>
      <Title order={2} id={titleId} className={classes.dialogTitle}>
        {title}
      </Title>
      {children(close)}
    </dialog>
  );
}
