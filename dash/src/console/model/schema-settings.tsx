import { Input } from '@mantine/core';
import { memo, useRef, useState } from 'react';
import type { SchemaDefinition } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import type { FilePart } from './file-edits.js';
import type { OnEdit } from './form-faults.js';
import { asText, Check, Choice, Labelled } from './form-inputs.js';
import { type ErrorAt, IndexSettings } from './index-settings.js';
import classes from './model.module.css';
import { auditText, moreInputs, ownRelations, readAudit, renameSchema, setMember } from './schema-edits.js';
import { isPathAt, type LocatedFault } from './schema-faults.js';

interface SchemaSettingsProps {
  members: FilePart;
  indexes: readonly FilePart[];
  labelFields: readonly string[];
  keyFields: readonly string[];
  savedName: string | null;
  faults: readonly Pick<LocatedFault, 'path' | 'message'>[];
  onEdit: OnEdit;
}

/** Settings of the schema itself. Memoized by content, so that typing in a field does not render them. */
export const SchemaSettings = memo(SettingsForm, (one, other) => {
  const content = ({ faults, ...shown }: SchemaSettingsProps): string =>
    JSON.stringify([shown, faults.map(({ path, message }) => [path, message])]);
  return one.onEdit === other.onEdit && content(one) === content(other);
});

function SettingsForm({ members, labelFields, savedName, faults, onEdit, ...more }: SchemaSettingsProps) {
  const { form } = useTexts('model').model;
  // While the user types a name, it can match another schema for a moment. Therefore the relations of this schema are remembered before.
  const own = useRef<readonly number[] | null>(null);
  const errorAt: ErrorAt = (...pointers) => {
    const here = faults.filter(({ path = '' }) => pointers.some((pointer) => isPathAt(path, pointer)));
    return here.length === 0 ? undefined : [...new Set(here.map(({ message }) => message))].join(' ');
  };
  const name = (member: 'name' | 'namespace', label: string, edit: (text: string, value: string) => string) => (
    <Labelled label={label} error={errorAt(`/${member}`)}>
      {(id) => (
        <Input
          id={id}
          value={asText(members[member])}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ target: { value } }) => onEdit((text) => edit(text, value))}
          onBlur={() => (own.current = null)}
        />
      )}
    </Labelled>
  );
  return (
    <fieldset className={classes.field}>
      <legend className={classes.legend}>{form.schema}</legend>
      <div className={classes.line}>
        {name('name', form.name, (text, value) =>
          renameSchema(text, value, savedName, (own.current ??= ownRelations(text))),
        )}
        {name('namespace', form.namespace, (text, value) => setMember(text, 'namespace', value || undefined))}
        <Choice
          label={form.labelField}
          value={asText(members['label_field'])}
          options={labelFields}
          error={errorAt('/label_field')}
          onChange={(field) => onEdit((text) => setMember(text, 'label_field', field))}
        />
      </div>
      <MoreOfSchema members={members} errorAt={errorAt} onEdit={onEdit} {...more} />
    </fieldset>
  );
}

interface MoreOfSchemaProps extends Pick<SchemaSettingsProps, 'members' | 'indexes' | 'keyFields' | 'onEdit'> {
  errorAt: ErrorAt;
}

/** Advanced settings of a schema. Opens automatically if one of them has a fault. */
function MoreOfSchema({ members, indexes, keyFields, errorAt, onEdit }: MoreOfSchemaProps) {
  const { form } = useTexts('model').model;
  const [isOpen, setOpen] = useState(false);
  const isFaulty = errorAt(...moreInputs(indexes.length)) !== undefined;
  const set = (member: keyof SchemaDefinition, value: unknown): void =>
    onEdit((text) => setMember(text, member, value));
  return (
    <details className={classes.more} open={isOpen || isFaulty} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{form.moreOfSchema}</summary>
      {(isOpen || isFaulty) && (
        <>
          <div className={classes.line}>
            <Choice
              label={form.primaryField}
              value={asText(members['primary_field'])}
              options={['', ...keyFields]}
              labels={{ '': form.ownKey }}
              error={errorAt('/primary_field')}
              onChange={(field) => set('primary_field', field || undefined)}
            />
            <Choice
              label={form.audit}
              value={auditText(members['audit'])}
              options={Object.keys(form.audits)}
              labels={form.audits}
              error={errorAt('/audit')}
              onChange={(audit) => set('audit', readAudit(audit))}
            />
            <Check
              label={form.noTimes}
              isOn={members['disable_timestamp'] === true}
              error={errorAt('/disable_timestamp')}
              onChange={(isOn) => set('disable_timestamp', isOn || undefined)}
            />
          </div>
          <IndexSettings indexes={indexes} errorAt={errorAt} onEdit={onEdit} />
        </>
      )}
    </details>
  );
}
