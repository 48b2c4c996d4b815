import { Input } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { RecordContext } from '../data/records-api.js';
import classes from './access.module.css';
import { type AccessRole, type Action, effectOf, type Grant, isRule } from './access-model.js';
import { FieldChoice } from './field-choice.js';
import { ruleCompletionsAt } from './rule-completions.js';
import type { AccessDraft } from './use-access-draft.js';

const CodeEditor = lazy(async () => ({ default: (await import('../model/code-editor.js')).CodeEditor }));

interface GrantRowProps {
  context: RecordContext;
  role: AccessRole;
  resource: string;
  name: string;
  /** Schema of the records; null if the resource is not about one schema. */
  schema: RecordSchema | null;
  action: Action | null;
  draft: AccessDraft;
  isReadOnly: boolean;
}

const CHOICES = ['none', 'allow', 'rule', 'deny'] as const;
type Choice = (typeof CHOICES)[number];

export function GrantRow({ context, role, resource, name, schema, action, draft, isReadOnly }: GrantRowProps) {
  const { access } = useTexts('model');
  const select = useId();
  const grant = draft.grantOf(role.id, resource);
  const faults = draft.faultsOf(role.id, resource);
  const set = (next: Grant | null): void => draft.set(role.id, resource, next);
  const choose = (choice: Choice): void => {
    const value = choice === 'rule' ? 'record.id == auth.id' : choice;
    set(
      choice === 'none'
        ? null
        : { value: choice === 'rule' && schema === null ? "'' in auth.roles" : value, fields: grant?.fields ?? null },
    );
  };
  return (
    <li className={classes.grant} data-faulty={faults.length > 0 || undefined}>
      <div className={classes.line}>
        <label htmlFor={select} className={classes.action}>
          {name}
        </label>
        <Input
          component="select"
          id={select}
          className={classes.choice}
          value={choiceOf(grant)}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => choose(currentTarget.value as Choice)}
        >
          {CHOICES.map((choice) => (
            <option key={choice} value={choice}>
              {access.choices[choice]}
            </option>
          ))}
        </Input>
        <Effect draft={draft} role={role} resource={resource} />
      </div>
      {grant !== null && isRule(grant.value) && (
        <RuleField
          context={context}
          schema={schema}
          label={access.rule(resource)}
          value={grant.value}
          faults={faults}
          isReadOnly={isReadOnly}
          onChange={(value) => set({ ...grant, value })}
        />
      )}
      <div role="status">
        {faults.length > 0 && (
          <ul className={classes.faults}>
            {faults.map(({ field, message }) => (
              <li key={field + message}>{field === 'value' ? message : `${field} ${message}`}</li>
            ))}
          </ul>
        )}
      </div>
      {grant !== null && grant.value !== 'deny' && schema !== null && action !== null && (
        <FieldChoice schema={schema} action={action} grant={grant} isReadOnly={isReadOnly} onChange={set} />
      )}
    </li>
  );
}

function choiceOf(grant: Grant | null): Choice {
  if (grant === null) return 'none';
  return grant.value === 'allow' || grant.value === 'deny' ? grant.value : 'rule';
}

function Effect({ draft, role, resource }: Pick<GrantRowProps, 'draft' | 'role' | 'resource'>) {
  const { access } = useTexts('model');
  const { verdict, by } = effectOf(
    draft.permissions.filter((item) => item.role === role.id),
    resource,
  );
  // The row already shows its own permission.
  if (by.length > 0 && by.every((item) => item.resource === resource)) return null;
  const patterns = by.map((item) => item.resource).join(', ');
  return (
    <span className={classes.effect}>
      {by.length === 0 ? access.noMatch : access.inherited(access.verdicts[verdict], patterns)}
    </span>
  );
}

interface RuleFieldProps {
  context: RecordContext;
  schema: RecordSchema | null;
  label: string;
  value: string;
  faults: ReturnType<AccessDraft['faultsOf']>;
  isReadOnly: boolean;
  onChange: (value: string) => void;
}

function RuleField({ context, schema, label, value, faults, isReadOnly, onChange }: RuleFieldProps) {
  if (isReadOnly) return <code className={classes.rule}>{value}</code>;
  const marks = faults.flatMap(({ field, message, start, end }) =>
    field === 'value' && start !== undefined && end !== undefined
      ? [{ from: start, to: Math.max(end, start), message }]
      : [],
  );
  return (
    <Suspense fallback={<Loading />}>
      <CodeEditor
        form="rule"
        label={label}
        value={value}
        marks={marks}
        complete={(text, offset) => ruleCompletionsAt(text, offset, schema, context.schemas)}
        onChange={onChange}
      />
    </Suspense>
  );
}
