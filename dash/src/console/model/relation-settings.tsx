import { Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import { partOf, withMember } from './file-edits.js';
import { asText, Check, Choice, Labelled } from './form-inputs.js';
import classes from './model.module.css';
import { RelationMore } from './relation-more.js';

const RELATION_TYPES = ['o2o', 'o2m', 'm2o', 'm2m'];

interface RelationSettingsProps {
  name: string;
  relation: unknown;
  schemas: readonly string[];
  faultOf: (property: string) => string | undefined;
  onChange: (relation: object) => void;
}

export function RelationSettings({ name, relation, schemas, faultOf, onChange }: RelationSettingsProps) {
  const { form } = useTexts('model').model;
  const written = partOf(relation);
  const set = (member: string, value: unknown): void => onChange(withMember(written, member, value) ?? {});
  const part = (member: string) => ({
    value: asText(written[member]),
    error: faultOf(`relation/${member}`),
    onChange: (value: string) => set(member, value),
  });
  const { onChange: setBack, ...back } = part('field');
  return (
    <>
      <div className={classes.line}>
        <Choice label={form.target} options={schemas} {...part('schema')} />
        <Choice label={form.kind} options={RELATION_TYPES} labels={form.kinds} {...part('type')} />
        <Labelled label={form.backRef} error={back.error}>
          {(id) => <Input id={id} value={back.value} onChange={({ target }) => setBack(target.value)} />}
        </Labelled>
      </div>
      <div className={classes.line}>
        <Check
          label={form.relation.owner}
          isOn={written['owner'] === true}
          error={faultOf('relation/owner')}
          onChange={(isOn) => set('owner', isOn || undefined)}
        />
      </div>
      <RelationMore name={name} relation={written} faultOf={faultOf} onSet={set} />
    </>
  );
}
