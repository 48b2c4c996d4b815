import { useTexts } from '../../texts/texts.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './access.module.css';
import type { Action, Grant, PermissionFields } from './access-model.js';

interface FieldChoiceProps {
  schema: RecordSchema;
  action: Action;
  grant: Grant;
  isReadOnly: boolean;
  onChange: (grant: Grant) => void;
}

/** Field lists that apply to an action. Writes also need `read`, because they return the record. */
const USES: Readonly<Record<Action, readonly (keyof PermissionFields)[]>> = {
  list: ['read'],
  get: ['read'],
  create: ['write', 'read'],
  update: ['write', 'read'],
  delete: [],
  restore: ['read'],
  aggregate: ['read'],
};

export function FieldChoice({ schema, action, grant, isReadOnly, onChange }: FieldChoiceProps) {
  return USES[action].map((use) => (
    <Choice
      key={use}
      use={use}
      schema={schema}
      chosen={grant.fields?.[use]}
      isReadOnly={isReadOnly}
      onChange={(names) => onChange({ ...grant, fields: withNames(grant.fields, use, names) })}
    />
  ));
}

function withNames(
  fields: PermissionFields | null,
  use: keyof PermissionFields,
  names: readonly string[] | undefined,
): PermissionFields | null {
  const { [use]: _, ...rest } = fields ?? {};
  const next: PermissionFields = names === undefined ? rest : { ...rest, [use]: names };
  return next.read === undefined && next.write === undefined ? null : next;
}

interface ChoiceProps {
  use: keyof PermissionFields;
  schema: RecordSchema;
  /** Undefined for all fields. */
  chosen: readonly string[] | undefined;
  isReadOnly: boolean;
  onChange: (names: readonly string[] | undefined) => void;
}

function Choice({ use, schema, chosen, isReadOnly, onChange }: ChoiceProps) {
  const { access } = useTexts('model');
  const names = schema.fields.filter(({ generated }) => use === 'read' || !generated).map(({ name }) => name);
  // Keeps names that the schema no longer has, until the user removes them.
  const all = [...names, ...(chosen ?? []).filter((name) => !names.includes(name))];
  return (
    <details className={classes.fields}>
      <summary>
        {access[use]}: {chosen === undefined ? access.allFields : access.someFields(chosen.length)}
      </summary>
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={chosen !== undefined}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? names : undefined)}
        />
        {access.only}
      </label>
      {chosen !== undefined && (
        <fieldset className={classes.names}>
          <legend>{access[use]}</legend>
          {all.map((name) => (
            <label key={name} className={classes.check}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                disabled={isReadOnly}
                onChange={({ currentTarget }) =>
                  onChange(currentTarget.checked ? [...chosen, name] : chosen.filter((item) => item !== name))
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </details>
  );
}
