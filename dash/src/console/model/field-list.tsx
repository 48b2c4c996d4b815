import { Button, Input } from '@mantine/core';
import { memo, useCallback, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../../texts/texts.js';
import {
  addField,
  fieldsOf,
  type FieldDefinition,
  moveField,
  removeField,
  renameField,
  setProperty,
} from './field-edits.js';
import { readDefinition } from './definition-text.js';
import { EnumSettings } from './enum-settings.js';
import { inputsOf, type Member, membersOf } from './field-settings.js';
import { FileSettings } from './file-settings.js';
import { FormFaults, type OnEdit } from './form-faults.js';
import { asText, Choice, Labelled } from './form-inputs.js';
import { indexesOf } from './index-edits.js';
import classes from './model.module.css';
import { RelationSettings } from './relation-settings.js';
import { isPathAt, type LocatedFault } from './schema-faults.js';
import { besideFields, inputsOfSchema, keyFieldsOf, labelFieldsOf } from './schema-edits.js';
import { SchemaSettings } from './schema-settings.js';
import { Flags, MoreSettings, type SettingsProps, ValueSettings } from './value-settings.js';

interface FieldListProps {
  text: string;
  types: readonly string[];
  schemas: readonly string[];
  /** Names of the fields that have columns. */
  existing: ReadonlySet<string>;
  /** Name of the stored schema; null for a new one. */
  savedName: string | null;
  faults: readonly LocatedFault[];
  onWrite: (text: string) => void;
}

/** Form of a definition. Members without an input stay unchanged in the text, and their faults are listed. */
export function FieldList({ text, onWrite, ...props }: FieldListProps) {
  const { model } = useTexts('model');
  const fields = fieldsOf(text);
  const latest = useRef({ text, onWrite });
  useLayoutEffect(() => {
    latest.current = { text, onWrite };
  });
  const edit = useCallback<OnEdit>((change) => latest.current.onWrite(change(latest.current.text)), []);
  const ofNoField = props.faults.filter(({ path }) => !fields.some((_, index) => isOf(path, index)));
  return (
    <div className={classes.fields}>
      {readDefinition(text) !== null && (
        <SchemaSettings
          members={besideFields(text)}
          indexes={indexesOf(text)}
          labelFields={labelFieldsOf(text)}
          keyFields={keyFieldsOf(text)}
          savedName={props.savedName}
          faults={ofNoField}
          onEdit={edit}
        />
      )}
      <FormFaults
        faults={ofNoField}
        coveredPaths={coveredPaths(ofNoField, inputsOfSchema(indexesOf(text).length))}
        onEdit={edit}
      />
      {fields.map((field, index) => (
        <Field
          key={index}
          types={props.types}
          schemas={props.schemas}
          existing={props.existing}
          field={field}
          index={index}
          faults={props.faults.filter(({ path }) => isOf(path, index))}
          onEdit={edit}
        />
      ))}
      <Button variant="default" size="sm" onClick={() => onWrite(addField(text))}>
        {model.form.add}
      </Button>
    </div>
  );
}

interface FieldProps extends Pick<FieldListProps, 'types' | 'schemas' | 'existing' | 'faults'> {
  field: FieldDefinition;
  index: number;
  onEdit: OnEdit;
}

/** Memoized by content, so that the time per key press does not grow with the number of fields. */
const Field = memo(FieldForm, (one, other) => {
  const contentKey = ({ field, faults }: FieldProps): string =>
    JSON.stringify([field, faults.map(({ code, message, path, suggestion }) => [code, message, path, suggestion])]);
  const hasSameProps = (['types', 'schemas', 'existing', 'index', 'onEdit'] as const).every(
    (name) => one[name] === other[name],
  );
  return hasSameProps && contentKey(one) === contentKey(other);
});

function FieldForm({ field, index, types, schemas, existing, faults: own, onEdit }: FieldProps) {
  const { model } = useTexts('model');
  const { form } = model;
  const faultOf = (property: string): string | undefined => {
    const here = own.filter(({ path = '' }) => isPathAt(path, `/fields/${index}/${property}`));
    return here.length === 0 ? undefined : [...new Set(here.map(({ message }) => message))].join(' ');
  };
  const set = (name: Member | 'type', value: unknown): void => onEdit((text) => setProperty(text, index, name, value));
  const label = field.name;
  const inputs = inputsOf(field).map((part) => `/fields/${index}/${part}`);
  const shownPaths = coveredPaths(own, inputs);
  const settings: SettingsProps = { field, members: membersOf(field), faultOf, onSet: set };
  return (
    <fieldset className={classes.field} data-faulty={own.length > 0 || undefined}>
      <legend className={classes.legend}>{label}</legend>
      <div className={classes.line}>
        <Labelled label={form.name} error={faultOf('name')}>
          {(id) => (
            <Input
              id={id}
              value={asText(field.name)}
              spellCheck={false}
              autoCapitalize="none"
              onChange={({ target }) => onEdit((text) => renameField(text, index, target.value, existing))}
            />
          )}
        </Labelled>
        <Choice
          label={form.type}
          value={field.type}
          options={types}
          error={faultOf('type')}
          onChange={(value) => set('type', value)}
        />
      </div>
      <ValueSettings {...settings} />
      <PartSettings {...settings} schemas={schemas} />
      <div className={classes.line}>
        <Flags {...settings} isCommon />
        <span className={classes.ends}>
          <Button
            variant="subtle"
            size="xs"
            disabled={index === 0}
            onClick={() => onEdit((text) => moveField(text, index, -1))}
          >
            {form.up(label)}
          </Button>
          <Button variant="subtle" size="xs" onClick={() => onEdit((text) => removeField(text, index))}>
            {form.remove(label)}
          </Button>
        </span>
      </div>
      <MoreSettings {...settings} />
      <FormFaults faults={own} coveredPaths={shownPaths} onEdit={onEdit} />
    </fieldset>
  );
}

function PartSettings({ field, members, faultOf, onSet, schemas }: SettingsProps & Pick<FieldListProps, 'schemas'>) {
  return (
    <>
      {members.has('enums') && (
        <EnumSettings enums={field.enums} faultOf={faultOf} onChange={(enums) => onSet('enums', enums)} />
      )}
      {members.has('relation') && (
        <RelationSettings
          name={field.name}
          relation={field.relation}
          schemas={schemas}
          faultOf={faultOf}
          onChange={(relation) => onSet('relation', relation)}
        />
      )}
      {members.has('file') && (
        <FileSettings file={field.file} faultOf={faultOf} onChange={(file) => onSet('file', file)} />
      )}
    </>
  );
}

function coveredPaths(faults: readonly LocatedFault[], inputs: readonly string[]): readonly string[] {
  return faults.flatMap(({ path = '' }) => (inputs.some((input) => isPathAt(path, input)) ? [path] : []));
}

/** Returns whether a pointer refers to a field or a part of it. */
function isOf(path: string | undefined, index: number): boolean {
  return path === `/fields/${index}` || path?.startsWith(`/fields/${index}/`) === true;
}
