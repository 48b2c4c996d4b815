import { Button, Group } from '@mantine/core';
import { useTexts } from '../texts/texts.js';
import { SubmitButton } from './submit-button.js';

interface FormButtonsProps {
  submit: string;
  busy: boolean;
  isDangerous?: boolean;
  /** Whether submitting is impossible. Only the cancel button is shown then. */
  isDisabled?: boolean;
  onCancel: () => void;
}

export function FormButtons({ submit, busy, isDangerous, isDisabled, onCancel }: FormButtonsProps) {
  const { forms } = useTexts();
  return (
    <Group grow>
      {!isDisabled && (
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
