import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Question } from '../../pages/account/question.js';

interface ConfirmButtonProps {
  text: string;
  label?: string;
  question: string;
  confirmLabel: string;
  onConfirm: () => void;
}

export function ConfirmButton({ text, label, question, confirmLabel, onConfirm }: ConfirmButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasConfirming = useRef(false);
  useEffect(() => {
    if (wasConfirming.current && !isConfirming) opener.current?.focus();
    wasConfirming.current = isConfirming;
  }, [isConfirming]);
  if (!isConfirming)
    return (
      <Button
        ref={opener}
        variant="default"
        size="xs"
        {...(label !== undefined && { 'aria-label': label })}
        onClick={() => setConfirming(true)}
      >
        {text}
      </Button>
    );
  return (
    <Question
      label={label ?? text}
      text={question}
      confirmLabel={confirmLabel}
      onConfirm={() => {
        setConfirming(false);
        onConfirm();
      }}
      onCancel={() => setConfirming(false)}
    />
  );
}
