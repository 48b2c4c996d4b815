import { Button } from '@mantine/core';
import { type KeyboardEvent, useContext, useId, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { NewRecord, type RecordValues } from '../data/record-changes.js';
import { type RecordSchema, labelFromName } from '../data/record-schema.js';
import type { RecordContext } from '../data/records-api.js';
import classes from './fields.module.css';
import { NestedKinds } from './nested-kinds.js';
import { typed, InvalidInput } from './values.js';

interface NewRecordFormProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly initial: NewRecord | null;
  readonly onDone: (record: NewRecord) => void;
  readonly onCancel: () => void;
}

/** Form of a record that is created when the record that refers to it is saved. */
export function NewRecordForm({ context, schema, initial, onDone, onCancel }: NewRecordFormProps) {
  const { records, forms } = useTexts('records');
  const kinds = useContext(NestedKinds);
  const title = useId();
  const [values, setValues] = useState<RecordValues>(initial?.values ?? {});
  const writable = new Set(context.permissions.content[schema.name]?.['create']?.fields ?? []);
  const inputs = schema.fields.filter(({ name, generated }) => writable.has(name) && !generated);
  const isReadable = !Object.values(values).some((value) => value instanceof InvalidInput);
  function finish(): void {
    if (!isReadable) return;
    const label = typed(values[schema.labelField]);
    onDone(new NewRecord(values, label === '' ? records.newOf(labelFromName(schema.name)) : label));
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
      <strong id={title}>{records.newOf(labelFromName(schema.name))}</strong>
      {inputs.map((field, index) => {
        const Input = kinds?.[field.type].Input;
        if (Input === undefined) return null;
        return (
          <Input
            key={field.name}
            field={field}
            label={field.label}
            value={values[field.name]}
            autoFocus={index === 0}
            onChange={(value) => setValues((previous) => ({ ...previous, [field.name]: value }))}
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
