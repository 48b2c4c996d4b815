import { Button, Group } from '@mantine/core';
import { useTexts } from '../texts/texts.js';
import { SubmitButton } from './submit-button.js';

interface FormButtonsProps {
  submit: string;
  busy: boolean;
  /** Whether it cannot be taken back. */
  isDangerous?: boolean;
  /** There is something in the way: only going back is left. */
  isOff?: boolean;
  onCancel: () => void;
}

/** Shows the buttons under a form that was opened in the page. */
export function FormButtons({ submit, busy, isDangerous, isOff, onCancel }: FormButtonsProps) {
  const { forms } = useTexts();
  return (
    <Group grow>
      {!isOff && (
        <SubmitButton busy={busy} isDangerous={isDangerous}>
          {submit}
        </SubmitButton>
      )}
      <Button type="button" variant="default" onClick={onCancel}>
        {forms.cancel}
      </Button>
    </Group>
  );
}
