import { Button, Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { FilePart } from './file-edits.js';
import type { OnEdit } from './form-faults.js';
import { Check, Entry, ListEntry } from './form-inputs.js';
import { addIndex, readColumns, removeIndex, setIndex } from './index-edits.js';
import classes from './model.module.css';

/** Returns the errors at the pointers. A pointer with a trailing slash includes nested values. */
export type ErrorAt = (...pointers: readonly string[]) => string | undefined;

interface IndexSettingsProps {
  indexes: readonly FilePart[];
  errorAt: ErrorAt;
  onEdit: OnEdit;
}

export function IndexSettings({ indexes, errorAt, onEdit }: IndexSettingsProps) {
  const { form } = useTexts('model').model;
  const error = errorAt('/db', '/db/indexes');
  return (
    <div className={classes.sizes}>
      {indexes.map((item, index) => (
        <Index
          key={index}
          one={item}
          errorOf={(...members) => errorAt(...members.map((member) => `/db/indexes/${index}${member}`))}
          onSet={(member, value) => onEdit((text) => setIndex(text, index, member, value))}
          onRemove={() => onEdit((text) => removeIndex(text, index))}
        />
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      <div>
        <Button variant="default" size="xs" onClick={() => onEdit(addIndex)}>
          {form.indexes.add}
        </Button>
      </div>
    </div>
  );
}

interface IndexProps {
  one: FilePart;
  errorOf: ErrorAt;
  onSet: (member: 'columns' | 'name' | 'unique', value: unknown) => void;
  onRemove: () => void;
}

function Index({ one, errorOf, onSet, onRemove }: IndexProps) {
  const { form } = useTexts('model').model;
  const { indexes } = form;
  const columns = Array.isArray(one['columns']) ? one['columns'].map(String) : [];
  const name = columns.join(', ');
  return (
    <div role="group" aria-label={indexes.group(name)} className={classes.line}>
      <ListEntry
        label={indexes.columns}
        hint={indexes.columnsHint}
        values={columns}
        error={errorOf('', '/columns', '/columns/')}
        read={readColumns}
        onChange={(next) => onSet('columns', next)}
      />
      <Entry
        label={indexes.name}
        hint={indexes.nameHint}
        value={one['name']}
        error={errorOf('/name')}
        read={(text) => text || undefined}
        onChange={(next) => onSet('name', next)}
      />
      <Check
        label={indexes.unique}
        isOn={one['unique'] === true}
        error={errorOf('/unique')}
        onChange={(isOn) => onSet('unique', isOn || undefined)}
      />
      <span className={classes.ends}>
        <Button variant="subtle" size="xs" onClick={onRemove}>
          {indexes.remove}
        </Button>
      </span>
    </div>
  );
}
