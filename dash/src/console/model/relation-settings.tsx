import { Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import { partOf } from './file-edits.js';
import { asText, Choice, Labelled } from './form-inputs.js';
import classes from './model.module.css';

const RELATION_TYPES = ['o2o', 'o2m', 'm2o', 'm2m'];

interface RelationSettingsProps {
  /** `relation` of the field, whatever stands there. */
  relation: unknown;
  schemas: readonly string[];
  faultOf: (property: string) => string | undefined;
  onChange: (relation: object) => void;
}

/** Where a relation leads, and by which field that leads back. */
export function RelationSettings({ relation, schemas, faultOf, onChange }: RelationSettingsProps) {
  const { form } = useTexts('model').model;
  const written = partOf(relation);
  const part = (name: string) => ({
    value: asText(written[name]),
    error: faultOf(`relation/${name}`),
    onChange: (value: string) => onChange({ ...written, [name]: value }),
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
