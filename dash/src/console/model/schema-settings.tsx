import { Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import { readDefinition } from './definition-text.js';
import { asText, Choice, Labelled } from './form-inputs.js';
import classes from './model.module.css';
import { labelFieldsOf, renameSchema, setMember } from './schema-edits.js';
import type { PlacedFault } from './schema-faults.js';

/** Pointers of what of a schema itself has an input. */
export const INPUTS_OF_SCHEMA: readonly string[] = ['/name', '/namespace', '/label_field'];

interface SchemaSettingsProps {
  text: string;
  /** The name of the schema that is there; null for a new one. */
  savedName: string | null;
  faults: readonly PlacedFault[];
  onWrite: (text: string) => void;
}

/** What a schema is called, and which field names its records. */
export function SchemaSettings({ text, savedName, faults, onWrite }: SchemaSettingsProps) {
  const { form } = useTexts('model').model;
  const definition = readDefinition(text);
  if (definition === null) return null;
  const errorAt = (pointer: string): string | undefined => faults.find(({ path }) => path === pointer)?.message;
  const name = (member: 'name' | 'namespace', label: string, onChange: (value: string) => void) => (
    <Labelled label={label} error={errorAt(`/${member}`)}>
      {(id) => (
        <Input
          id={id}
          value={asText(definition[member])}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Labelled>
  );
  return (
    <fieldset className={classes.field}>
      <legend className={classes.legend}>{form.schema}</legend>
      <div className={classes.line}>
        {name('name', form.name, (value) => onWrite(renameSchema(text, value, savedName)))}
        {name('namespace', form.namespace, (value) => onWrite(setMember(text, 'namespace', value || undefined)))}
        <Choice
          label={form.labelField}
          value={asText(definition.label_field)}
          options={labelFieldsOf(text)}
          error={errorAt('/label_field')}
          onChange={(field) => onWrite(setMember(text, 'label_field', field))}
        />
      </div>
    </fieldset>
  );
}
