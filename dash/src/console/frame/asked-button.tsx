import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Question } from '../../pages/account/question.js';

interface AskedButtonProps {
  text: string;
  label?: string;
  question: string;
  yes: string;
  onYes: () => void;
}

export function AskedButton({ text, label, question, yes, onYes }: AskedButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (wasAsking.current && !isAsking) opener.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  if (!isAsking)
    return (
      <Button
        ref={opener}
        variant="default"
        size="xs"
        {...(label !== undefined && { 'aria-label': label })}
        onClick={() => setAsking(true)}
      >
        {text}
      </Button>
    );
  return (
    <Question
      label={label ?? text}
      text={question}
      yes={yes}
      onYes={() => {
        setAsking(false);
        onYes();
      }}
      onNo={() => setAsking(false)}
    />
  );
}
