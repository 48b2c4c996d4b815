import { Input } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import fieldClasses from '../fields/fields.module.css';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import { ReferencePicker } from '../fields/reference-picker.js';
import { typed } from '../fields/values.js';
import type { Json, Operator } from '../filter/filter-tree.js';
import type { RecordField } from '../data/record-schema.js';

interface FilterValueProps {
  readonly field: RecordField;
  readonly operator: Operator;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}

export function FilterValue({ field, operator, value, onChange }: FilterValueProps) {
  const { records } = useTexts('records');
  const isList = operator === '$in' || operator === '$nin';
  if (operator === '$null' || field.type === 'bool') {
    const yes = value === true;
    return (
      <Input
        component="select"
        classNames={{ input: fieldClasses.select }}
        size="xs"
        aria-label={records.value}
        value={String(yes)}
        onChange={(event) => onChange(event.currentTarget.value === 'true')}
      >
        <option value="true">{records.yes}</option>
        <option value="false">{records.no}</option>
      </Input>
    );
  }
  if (field.enums.length > 0 && !isList)
    return (
      <Input
        component="select"
        classNames={{ input: fieldClasses.select }}
        size="xs"
        aria-label={records.value}
        value={typed(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {field.enums.map((item) => (
          <option key={item.value} value={item.value}>
            {item.label}
          </option>
        ))}
      </Input>
    );
  if (field.target !== undefined && !isList) return <KeyValue field={field} value={value} onChange={onChange} />;
  return <TypedValue field={field} isList={isList} value={value} onChange={onChange} />;
}

function KeyValue({ field, value, onChange }: Omit<FilterValueProps, 'operator'>) {
  const { records } = useTexts('records');
  const [label, setLabel] = useState(typed(value));
  if (value !== '')
    return (
      <Input component="button" type="button" size="xs" aria-label={records.value} onClick={() => onChange('')}>
        {label}
      </Input>
    );
  return (
    <ReferencePicker
      id={`filter-${field.name}`}
      label={records.value}
      target={field.target ?? ''}
      isInvalid={false}
      inCell
      autoFocus={false}
      onChoose={(reference) => {
        setLabel(reference.label);
        onChange(reference.id);
      }}
    />
  );
}

interface TypedProps extends Omit<FilterValueProps, 'operator'> {
  readonly isList: boolean;
}

/** Keeps the typed text, and reports the value if it is valid. */
function TypedValue({ field, isList, value, onChange }: TypedProps) {
  const { records } = useTexts('records');
  const { read, write } = FIELD_KINDS[field.type].filter;
  const [text, setText] = useState(() => (Array.isArray(value) ? value.map(write).join(', ') : write(value)));
  const values = isList ? text.split(',').filter((item) => item.trim() !== '') : [text];
  const isInvalid = values.some((item) => item.trim() !== '' && read(item.trim()) === undefined);
  function type(next: string): void {
    setText(next);
    const parts = isList ? next.split(',').filter((item) => item.trim() !== '') : [next];
    const found = parts.map((item) => read(isList ? item.trim() : item));
    if (found.some((item) => item === undefined)) return;
    onChange(isList ? (found as Json[]) : (found[0] ?? ''));
  }
  return (
    <Input
      size="xs"
      type={field.type === 'time' && !isList ? 'datetime-local' : 'text'}
      aria-label={records.value}
      aria-invalid={isInvalid}
      error={isInvalid}
      value={text}
      autoComplete="off"
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
