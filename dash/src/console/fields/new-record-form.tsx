import { Button } from '@mantine/core';
import { type KeyboardEvent, useContext, useId, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { NewRecord, type RecordValues } from '../data/record-changes.js';
import { type RecordSchema, wordsOf } from '../data/record-schema.js';
import type { RecordWorld } from '../data/records-api.js';
import classes from './fields.module.css';
import { NestedKinds } from './nested-kinds.js';
import { typed, InvalidInput } from './values.js';

interface NewRecordFormProps {
  readonly world: RecordWorld;
  readonly schema: RecordSchema;
  readonly begun: NewRecord | null;
  readonly onDone: (made: NewRecord) => void;
  readonly onCancel: () => void;
}

/** Form of a record that is created when the record that refers to it is saved. */
export function NewRecordForm({ world, schema, begun, onDone, onCancel }: NewRecordFormProps) {
  const { records, forms } = useTexts('records');
  const kinds = useContext(NestedKinds);
  const title = useId();
  const [values, setValues] = useState<RecordValues>(begun?.values ?? {});
  const writable = new Set(world.permissions.content[schema.name]?.['create']?.fields ?? []);
  const inputs = schema.fields.filter(({ name, generated }) => writable.has(name) && !generated);
  const isReadable = !Object.values(values).some((value) => value instanceof InvalidInput);
  function finish(): void {
    if (!isReadable) return;
    const label = typed(values[schema.labelField]);
    onDone(new NewRecord(values, label === '' ? records.newOf(wordsOf(schema.name)) : label));
  }
  /** Enter finishes this form only, because it would submit the outer one. Escape cancels. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') return onCancel();
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement) || event.defaultPrevented) return;
    event.preventDefault();
    finish();
  }
  return (
    <fieldset className={classes.nested} aria-labelledby={title} onKeyDown={onKeyDown}>
      <strong id={title}>{records.newOf(wordsOf(schema.name))}</strong>
      {inputs.map((field, at) => {
        const Input = kinds?.[field.type].Input;
        if (Input === undefined) return null;
        return (
          <Input
            key={field.name}
            field={field}
            label={field.label}
            value={values[field.name]}
            autoFocus={at === 0}
            onChange={(value) => setValues((known) => ({ ...known, [field.name]: value }))}
          />
        );
      })}
      <div className={classes.chosen}>
        <Button size="xs" disabled={!isReadable} onClick={finish}>
          {records.nested.add}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {forms.cancel}
        </Button>
      </div>
    </fieldset>
  );
}
