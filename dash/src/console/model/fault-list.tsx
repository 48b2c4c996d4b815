import { memo } from 'react';
import { Button, Group, Text } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import classes from './model.module.css';
import { withSuggestion } from './schema-faults.js';
import type { SchemaText } from './use-schema-text.js';

interface FaultListProps {
  draft: SchemaText;
  onGo: (offset: number) => void;
  onWrite: (text: string) => void;
}

export function FaultList({ draft, onGo, onWrite }: FaultListProps) {
  const { model } = useTexts('model');
  const { own, elsewhere, text, backRefs, setBackRefs } = draft;
  return (
    <>
      {own.length + elsewhere.length === 0 && <Text c="dimmed">{model.faults.none}</Text>}
      <ul className={classes.faults}>
        {own.map((fault) => (
          <li key={`${fault.code} ${fault.path} ${fault.message}`}>
            <div>{fault.message}</div>
            <Group gap="xs">
              <Button variant="subtle" size="xs" onClick={() => onGo(fault.range.from)}>
                {model.faults.line(fault.line)}
              </Button>
              {fault.suggestion !== undefined && (
                <Button variant="default" size="xs" onClick={() => onWrite(withSuggestion(text, fault))}>
                  {model.use(fault.suggestion)}
                </Button>
              )}
            </Group>
          </li>
        ))}
        {elsewhere.map((fault) => (
          <li key={`${fault.code} ${fault.schema} ${fault.message}`}>
            <div>{fault.message}</div>
            <Text size="sm" c="dimmed">
              {model.faults.in(fault.schema)}
            </Text>
          </li>
        ))}
      </ul>
      {backRefs !== null && <BackRefsOption label={model.faults.addBackRefs} isOn={backRefs} onChange={setBackRefs} />}
    </>
  );
}

/** Option to create missing back references. Memoized, so that typing in a field renders only that field. */
const BackRefsOption = memo(function BackRefsOption({ label, isOn, onChange }: BackRefsOptionProps) {
  return (
    <label className={classes.check}>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
});

interface BackRefsOptionProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}
