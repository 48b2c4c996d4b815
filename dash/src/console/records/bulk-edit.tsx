import { Button, Input } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import fieldClasses from '../fields/fields.module.css';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import { InvalidInput } from '../fields/values.js';
import { LinkEdit, type RecordValues } from '../data/record-changes.js';
import type { RecordField, RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import type { RecordContext } from '../data/records-api.js';

interface BulkEditProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly onChange: (values: RecordValues) => void;
}

/** Adds new links and keeps the existing links of each record. */
function addedTo({ many }: RecordField, value: unknown): unknown {
  return many && Array.isArray(value) ? new LinkEdit(value, []) : value;
}

export function BulkEdit({ context, schema, onChange }: BulkEditProps) {
  const { records } = useTexts('records');
  const writable = new Set(context.permissions.content[schema.name]?.['update']?.fields ?? []);
  const fields = schema.fields.filter(
    ({ name, generated, immutable, confirmed }) => writable.has(name) && !generated && !immutable && !confirmed,
  );
  const [name, setName] = useState(fields[0]?.name ?? '');
  const [value, setValue] = useState<unknown>(null);
  const field = fields.find((item) => item.name === name);
  if (field === undefined) return null;
  const { Input: ValueInput } = FIELD_KINDS[field.type];
  return (
    <form
      className={classes.condition}
      onSubmit={(event) => {
        event.preventDefault();
        if (!(value instanceof InvalidInput)) onChange({ [name]: addedTo(field, value) });
      }}
    >
      <Input
        component="select"
        classNames={{ input: fieldClasses.select }}
        size="xs"
        aria-label={records.field}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setValue(null);
        }}
      >
        {fields.map((item) => (
          <option key={item.name} value={item.name}>
            {item.label}
          </option>
        ))}
      </Input>
      <ValueInput field={field} label={records.value} value={value} inCell onChange={setValue} />
      <Button type="submit" size="xs">
        {records.edit}
      </Button>
    </form>
  );
}
