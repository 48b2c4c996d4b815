import { Button, Text } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import classes from './model.module.css';
import { type PlacedFault, withSuggestion } from './schema-faults.js';

interface FormFaultsProps {
  faults: readonly PlacedFault[];
  /** Pointers of those whose words stand at an input already. */
  told?: readonly string[];
  onEdit: OnEdit;
}

/** Told how the text is to be changed, whatever it is by then. */
export type OnEdit = (edit: (text: string) => string) => void;

/** Shows what is wrong at this place of the form, each with what would mend it. */
export function FormFaults({ faults, told = [], onEdit }: FormFaultsProps) {
  const { model } = useTexts('model');
  const shown = faults.filter((fault) => fault.suggestion !== undefined || !told.includes(fault.path ?? ''));
  if (shown.length === 0) return null;
  return (
    <ul className={classes.formFaults}>
      {shown.map((fault) => (
        <li key={`${fault.code} ${fault.path}`}>
          {!told.includes(fault.path ?? '') && (
            <Text size="sm" c="var(--mantine-color-error)">
              {fault.message}
            </Text>
          )}
          {fault.suggestion !== undefined && (
            <Button variant="default" size="xs" onClick={() => onEdit((text) => withSuggestion(text, fault))}>
              {model.use(fault.suggestion)}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
