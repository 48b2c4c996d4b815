import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';

interface QuestionProps {
  label: string;
  text: string;
  yes: string;
  /** Label of the cancel button; "Cancel" by default. */
  no?: string;
  onYes: () => void;
  onNo: () => void;
}

/** Asks for confirmation of an irreversible action. The cancel button has the focus, so that Enter alone does nothing. */
export function Question({ label, text, yes, no: noText, onYes, onNo }: QuestionProps) {
  const { forms } = useTexts();
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <div className={classes.below} role="group" aria-label={label}>
      <Stack gap="sm">
        <div>{text}</div>
        <Group grow>
          <Button size="sm" data-danger onClick={onYes}>
            {yes}
          </Button>
          <Button ref={no} variant="default" size="sm" onClick={onNo}>
            {noText ?? forms.cancel}
          </Button>
        </Group>
      </Stack>
    </div>
  );
}
