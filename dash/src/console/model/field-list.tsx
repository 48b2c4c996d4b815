import { Button, Input } from '@mantine/core';
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
import { FileSettings } from './file-settings.js';
import { FormFaults } from './form-faults.js';
import { asText, Choice, Labelled } from './form-inputs.js';
import classes from './model.module.css';
import type { PlacedFault } from './schema-faults.js';

interface FieldListProps {
  text: string;
  types: readonly string[];
  schemas: readonly string[];
  /** Names of the fields that have columns already. */
  there: ReadonlySet<string>;
  faults: readonly PlacedFault[];
  onWrite: (text: string) => void;
}

const RELATION_TYPES = ['o2o', 'o2m', 'm2o', 'm2m'];
const FLAGS = ['optional', 'unique', 'searchable'] as const;
const FLAGS_OF_FILES = ['optional', 'multiple'] as const;

/** The parts of a field whose faults stand at their inputs. */
const WITH_INPUTS = ['name', 'type'];
const INPUTS_OF: Readonly<Record<string, readonly string[]>> = {
  relation: ['relation/schema', 'relation/type', 'relation/field'],
  file: ['file/types', 'file/types/', 'file/max_size', 'file/quota', 'file/sizes', 'file/sizes/'],
};

/** The fields of a definition as a form. Whatever it has no input for stays as it is in the text; what is wrong with it is told. */
export function FieldList({ text, onWrite, ...props }: FieldListProps) {
  const { model } = useTexts('model');
  const fields = fieldsOf(text);
  const ofNoField = props.faults.filter(({ path }) => !fields.some((_, index) => isOf(path, index)));
  return (
    <div className={classes.fields}>
      <FormFaults faults={ofNoField} text={text} onWrite={onWrite} />
      {fields.map((field, index) => (
        <Field key={index} {...props} text={text} field={field} index={index} onWrite={onWrite} />
      ))}
      <Button variant="default" size="sm" onClick={() => onWrite(addField(text))}>
        {model.form.add}
      </Button>
    </div>
  );
}

interface FieldProps extends FieldListProps {
  field: FieldDefinition;
  index: number;
}

function Field({ text, field, index, types, schemas, there, faults, onWrite }: FieldProps) {
  const { model } = useTexts('model');
  const { form } = model;
  const own = faults.filter(({ path }) => isOf(path, index));
  const faultOf = (property: string): string | undefined => {
    const here = own.filter(({ path = '' }) => isAt(path, `/fields/${index}/${property}`));
    return here.length === 0 ? undefined : [...new Set(here.map(({ message }) => message))].join(' ');
  };
  const set = (name: string, value: unknown): void => onWrite(setProperty(text, index, name, value));
  const label = field.name;
  const inputs = [...WITH_INPUTS, ...(INPUTS_OF[field.type] ?? [])].map((part) => `/fields/${index}/${part}`);
  const told = own.flatMap(({ path = '' }) => (inputs.some((input) => isAt(path, input)) ? [path] : []));
  const flags = field.type === 'file' ? FLAGS_OF_FILES : FLAGS;
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
              onChange={({ target }) => onWrite(renameField(text, index, target.value, there))}
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
      {field.type === 'relation' && (
        <Relation
          field={field}
          schemas={schemas}
          faultOf={faultOf}
          onChange={(relation) => set('relation', relation)}
        />
      )}
      {field.type === 'file' && (
        <FileSettings file={field.file} faultOf={faultOf} onChange={(file) => set('file', file)} />
      )}
      <div className={classes.line}>
        {flags.map((flag) => (
          <label key={flag} className={classes.check}>
            <input
              type="checkbox"
              checked={field[flag] === true}
              onChange={({ target }) => set(flag, target.checked || undefined)}
            />
            {form.flags[flag]}
          </label>
        ))}
        <span className={classes.ends}>
          <Button variant="subtle" size="xs" disabled={index === 0} onClick={() => onWrite(moveField(text, index, -1))}>
            {form.up(label)}
          </Button>
          <Button variant="subtle" size="xs" onClick={() => onWrite(removeField(text, index))}>
            {form.remove(label)}
          </Button>
        </span>
      </div>
      <FormFaults faults={own} told={told} text={text} onWrite={onWrite} />
    </fieldset>
  );
}

/** Whether a fault is at a place or, where its pointer ends with a slash, at anything in it. */
const isAt = (path: string, place: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);

/** Whether a fault is one of a field or of a part of it. */
function isOf(path: string | undefined, index: number): boolean {
  return path === `/fields/${index}` || path?.startsWith(`/fields/${index}/`) === true;
}

interface RelationProps {
  field: FieldDefinition;
  schemas: readonly string[];
  faultOf: (property: string) => string | undefined;
  onChange: (relation: object) => void;
}

/** Where a relation leads, and by which field that leads back. */
function Relation({ field, schemas, faultOf, onChange }: RelationProps) {
  const { form } = useTexts('model').model;
  const relation: Readonly<Record<string, unknown>> = field.relation ?? {};
  const part = (name: string) => ({
    value: asText(relation[name]),
    error: faultOf(`relation/${name}`),
    onChange: (value: string) => onChange({ ...relation, [name]: value }),
  });
  const { onChange: setBack, ...back } = part('field');
  return (
    <div className={classes.line}>
      <Choice label={form.leadsTo} options={schemas} {...part('schema')} />
      <Choice label={form.kind} options={RELATION_TYPES} words={form.kinds} {...part('type')} />
      <Labelled label={form.backRef} error={back.error}>
        {(id) => <Input id={id} value={back.value} onChange={({ target }) => setBack(target.value)} />}
      </Labelled>
    </div>
  );
}
