import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';

interface QuestionProps {
  label: string;
  text: string;
  confirmLabel: string;
  /** Label of the cancel button; "Cancel" by default. */
  no?: string;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks for confirmation of an irreversible action. The cancel button has the focus, so that Enter alone does nothing. */
export function Question({ label, text, confirmLabel, no: noText, onConfirm, onCancel }: QuestionProps) {
  const { forms } = useTexts();
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <div className={classes.below} role="group" aria-label={label}>
      <Stack gap="sm">
        <div>{text}</div>
        <Group grow>
          <Button size="sm" data-danger onClick={onConfirm}>
            {confirmLabel}
          </Button>
          <Button ref={no} variant="default" size="sm" onClick={onCancel}>
            {noText ?? forms.cancel}
          </Button>
        </Group>
      </Stack>
    </div>
  );
}
