import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';

interface QuestionProps {
  label: string;
  text: string;
  yes: string;
  /** Text of the button that gives up; "Cancel" by default. */
  no?: string;
  onYes: () => void;
  onNo: () => void;
}

/** Asks once more before something that cannot be taken back. Enter alone does nothing. */
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
