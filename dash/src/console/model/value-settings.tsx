import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { valuesOf } from './enum-edits.js';
import type { FieldDefinition } from './field-edits.js';
import {
  defaultInput,
  FLAGS,
  flagValue,
  isFlagOn,
  type Flag,
  type Member,
  readDefault,
  TEXTS,
  typeOf,
} from './field-settings.js';
import { readNumber } from './file-edits.js';
import { asText, Check, Choice, Entry } from './form-inputs.js';
import classes from './model.module.css';

export interface SettingsProps {
  field: FieldDefinition;
  members: ReadonlySet<Member>;
  faultOf: (property: string) => string | undefined;
  /** `undefined` removes the member. */
  onSet: (name: Member, value: unknown) => void;
}

export function ValueSettings({ field, members, faultOf, onSet }: SettingsProps) {
  const { form } = useTexts('model').model;
  const type = typeOf(field);
  if (!members.has('size') && !members.has('default')) return null;
  return (
    <div className={classes.line}>
      {members.has('size') && (
        <Entry
          label={form.size}
          hint={type === 'string' ? form.sizeOfString : undefined}
          value={field.size}
          error={faultOf('size')}
          inputMode="numeric"
          read={readNumber}
          onChange={(size) => onSet('size', size)}
        />
      )}
      {members.has('default') && (
        <Default field={field} error={faultOf('default')} onChange={(value) => onSet('default', value)} />
      )}
    </div>
  );
}

interface DefaultProps {
  field: FieldDefinition;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function Default({ field, error, onChange }: DefaultProps) {
  const { form } = useTexts('model').model;
  const input = defaultInput(field);
  const read = (text: string): unknown => readDefault(input, text);
  const value: unknown = field.default;
  const choice = (options: readonly string[], labels: Readonly<Record<string, string>>) => (
    <Choice
      label={form.default}
      value={typeof value === 'boolean' ? String(value) : asText(value)}
      options={['', ...options]}
      labels={{ '': form.noDefault, ...labels }}
      error={error}
      onChange={(chosen) => onChange(read(chosen))}
    />
  );
  if (input === 'switch') return choice(['true', 'false'], {});
  if (input === 'owner') return choice(['auth.id'], { 'auth.id': form.owner });
  if (input === 'value') {
    const values = valuesOf(field.enums).map((item) => asText(item['value']));
    return choice([...new Set(values)].filter(Boolean), {});
  }
  return (
    <Entry
      label={form.default}
      hint={input === 'time' ? form.defaultTime : undefined}
      value={value}
      error={error}
      inputMode={input === 'whole' || input === 'number' ? 'decimal' : undefined}
      read={read}
      onChange={onChange}
    />
  );
}

interface FlagsProps extends SettingsProps {
  isCommon: boolean;
}

export function Flags({ field, members, faultOf, onSet, isCommon }: FlagsProps) {
  return FLAGS.filter((flag) => flag.isCommon === isCommon && members.has(flag.name)).map((flag) => (
    <FlagInput key={flag.name} flag={flag} field={field} error={faultOf(flag.name)} onSet={onSet} />
  ));
}

type FlagInputProps = Pick<SettingsProps, 'field' | 'onSet'> & {
  flag: Flag;
  error: string | undefined;
};

function FlagInput({ flag, field, error, onSet }: FlagInputProps) {
  const { form } = useTexts('model').model;
  return (
    <Check
      label={form.flags[flag.name]}
      isOn={isFlagOn(flag, field)}
      error={error}
      onChange={(isOn) => onSet(flag.name, flagValue(flag, isOn))}
    />
  );
}

/** Advanced settings of a field. Opens automatically if one of them has a fault. */
export function MoreSettings({ field, members, faultOf, onSet }: SettingsProps) {
  const { form } = useTexts('model').model;
  const [isOpen, setOpen] = useState(false);
  const isFaulty = MORE_MEMBERS.some((name) => faultOf(name) !== undefined);
  return (
    <details className={classes.more} open={isOpen || isFaulty} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{form.more(field.name)}</summary>
      {(isOpen || isFaulty) && (
        <>
          <div className={classes.line}>
            {TEXTS.filter(({ name }) => members.has(name)).map(({ name, isCode }) => (
              <Entry
                key={name}
                label={form.texts[name]}
                hint={isCode ? form.expression : undefined}
                value={field[name]}
                error={faultOf(name)}
                isCode={isCode}
                read={(text) => text || undefined}
                onChange={(text) => onSet(name, text)}
              />
            ))}
          </div>
          <div className={classes.line}>
            <Flags field={field} members={members} faultOf={faultOf} onSet={onSet} isCommon={false} />
          </div>
        </>
      )}
    </details>
  );
}

const MORE_MEMBERS: readonly Member[] = [...TEXTS, ...FLAGS.filter(({ isCommon }) => !isCommon)].map(
  ({ name }) => name,
);
