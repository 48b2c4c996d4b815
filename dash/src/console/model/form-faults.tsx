import { Button, Text } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import classes from './model.module.css';
import { type LocatedFault, withSuggestion } from './schema-faults.js';

interface FormFaultsProps {
  faults: readonly LocatedFault[];
  /** Pointers of the faults whose messages an input already shows. */
  coveredPaths?: readonly string[];
  onEdit: OnEdit;
}

export type OnEdit = (edit: (text: string) => string) => void;

export function FormFaults({ faults, coveredPaths = [], onEdit }: FormFaultsProps) {
  const { model } = useTexts('model');
  const shown = faults.filter((fault) => fault.suggestion !== undefined || !coveredPaths.includes(fault.path ?? ''));
  if (shown.length === 0) return null;
  return (
    <ul className={classes.formFaults}>
      {shown.map((fault) => (
        <li key={`${fault.code} ${fault.path}`}>
          {!coveredPaths.includes(fault.path ?? '') && (
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
