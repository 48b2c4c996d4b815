import { Button, Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import fieldClasses from '../fields/fields.module.css';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import {
  type Filter,
  type Group,
  type Json,
  type Member,
  type Operator,
  readFilter,
  writeFilter,
} from '../filter/filter-tree.js';
import { printFilter } from '../filter/print-filter.js';
import { FilterValue } from './filter-value.js';
import type { RecordField, RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';

interface FilterBuilderProps {
  readonly schema: RecordSchema;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

/** Edits a filter with inputs. Conditions without an input stay unchanged. */
export function FilterBuilder({ schema, filter, onChange }: FilterBuilderProps) {
  return <GroupRows schema={schema} group={readFilter(filter)} onChange={(group) => onChange(writeFilter(group))} />;
}

interface GroupProps {
  readonly schema: RecordSchema;
  readonly group: Group;
  readonly onChange: (group: Group) => void;
}

function GroupRows({ schema, group, onChange }: GroupProps) {
  const { records } = useTexts('records');
  const fields = schema.fields.filter(({ filterable }) => filterable);
  const [first] = fields;
  const replace = (at: number, member: Member | null): void =>
    onChange(group.flatMap((item, index) => (index !== at ? [item] : member === null ? [] : [member])));
  return (
    <div className={classes.builder}>
      {group.map((member, at) => (
        // Rows have no identity besides their index.
        <MemberRow key={at} schema={schema} fields={fields} member={member} onChange={(next) => replace(at, next)} />
      ))}
      {first && (
        <div className={classes.bar}>
          <Button variant="default" size="xs" onClick={() => onChange([...group, newCondition(first)])}>
            {records.add}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() =>
              onChange([
                ...group,
                { kind: 'list', mode: '$or', groups: [[newCondition(first)], [newCondition(first)]] },
              ])
            }
          >
            {records.addGroup}
          </Button>
        </div>
      )}
    </div>
  );
}

interface MemberProps {
  readonly schema: RecordSchema;
  readonly fields: readonly RecordField[];
  readonly member: Member;
  readonly onChange: (member: Member | null) => void;
}

function MemberRow(props: MemberProps) {
  const { schema, member, onChange } = props;
  const { records } = useTexts('records');
  const simple = simpleOf(member);
  const field = simple && props.fields.find(({ name }) => name === simple.path);
  if (simple && field) return <ConditionRow {...props} field={field} simple={simple} />;
  if (member.kind === 'list' && member.mode === '$or') {
    const { groups } = member;
    const withGroup = (at: number, group: Group): void => {
      const next = groups.map((item, index) => (index === at ? group : item)).filter((item) => item.length > 0);
      onChange(next.length === 0 ? null : { ...member, groups: next });
    };
    return (
      <fieldset className={classes.group}>
        <legend className={classes.note}>{records.anyOf}</legend>
        {groups.map((group, at) => (
          <div key={at} className={classes.group}>
            <GroupRows schema={schema} group={group} onChange={(next) => withGroup(at, next)} />
          </div>
        ))}
      </fieldset>
    );
  }
  const text = printFilter(writeFilter([member]));
  return (
    <div className={classes.bar}>
      <code>{text}</code>
      <span className={classes.note}>{records.unchanged}</span>
      <Remove label={text} onRemove={() => onChange(null)} />
    </div>
  );
}

interface Simple {
  readonly path: string;
  readonly operator: Operator;
  readonly value: Json;
}

function ConditionRow({ fields, field, simple, onChange }: MemberProps & { field: RecordField; simple: Simple }) {
  const { records } = useTexts('records');
  const { operators } = FIELD_KINDS[field.type].filter;
  const options = operators.includes(simple.operator) ? operators : [...operators, simple.operator];
  const write = (next: Simple): void => onChange(memberOf(next));
  return (
    <div className={classes.condition} role="group" aria-label={field.label}>
      <Input
        component="select"
        classNames={{ input: fieldClasses.select }}
        size="xs"
        aria-label={records.field}
        value={field.name}
        onChange={(event) => {
          const chosen = fields.find(({ name }) => name === event.currentTarget.value);
          if (chosen) onChange(newCondition(chosen));
        }}
      >
        {fields.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Input>
      <Input
        component="select"
        classNames={{ input: fieldClasses.select }}
        size="xs"
        aria-label={records.operator}
        value={simple.operator}
        onChange={(event) => write(withOperator(simple, event.currentTarget.value as Operator))}
      >
        {options.map((operator) => (
          <option key={operator} value={operator}>
            {records.operators[operator]}
          </option>
        ))}
      </Input>
      <FilterValue
        field={field}
        operator={simple.operator}
        value={simple.value}
        onChange={(value) => write({ ...simple, value })}
      />
      <Remove label={field.label} onRemove={() => onChange(null)} />
    </div>
  );
}

function Remove({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { records } = useTexts('records');
  return (
    <Button variant="default" size="xs" aria-label={records.removeCondition(label)} onClick={onRemove}>
      ×
    </Button>
  );
}

/** Returns the condition if one row of inputs can edit it; otherwise null. */
function simpleOf(member: Member): Simple | null {
  const [test, ...others] = member.kind === 'field' ? member.tests : [];
  if (member.kind !== 'field' || test === undefined || others.length > 0 || !('operator' in test)) return null;
  return { path: member.path, operator: test.operator, value: test.value };
}

function memberOf({ path, operator, value }: Simple): Member {
  return { kind: 'field', path, isShorthand: operator === '$eq', tests: [{ operator, value }] };
}

function newCondition({ name, type, enums }: RecordField): Member {
  const [operator = '$eq'] = FIELD_KINDS[type].filter.operators;
  const value = type === 'bool' ? true : (enums[0]?.value ?? '');
  return memberOf(withOperator({ path: name, operator: '$eq', value }, operator));
}

/** Changes the operator and converts the value to the form that it requires. */
function withOperator(simple: Simple, operator: Operator): Simple {
  const { value } = simple;
  const [first = ''] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (operator === '$null') return { ...simple, operator, value: true };
  if (operator === '$in' || operator === '$nin')
    return { ...simple, operator, value: Array.isArray(value) ? value : value === '' ? [] : [value] };
  return { ...simple, operator, value: typeof first === 'boolean' && simple.operator === '$null' ? '' : first };
}
