import { Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import {
  localTime,
  readBytes,
  readJson,
  readLocalTime,
  readNumber,
  readText,
  readInteger,
  typed,
  InvalidInput,
} from './values.js';

interface LabelledProps extends Pick<InputProps, 'label' | 'inCell' | 'error' | 'field' | 'value'> {
  readonly children: (id: string, fault: string | undefined) => ReactNode;
}

/** Label above an input and its error below; a cell shows neither. */
export function Labelled({ label, inCell, error, field, value, children }: LabelledProps) {
  const id = useId();
  const { records } = useTexts('records');
  const fault = error ?? (value instanceof InvalidInput ? records.unreadable[value.fault] : undefined);
  if (inCell === true) return <>{children(id, fault)}</>;
  return (
    <Input.Wrapper
      id={id}
      label={label}
      error={fault}
      description={field.optional || field.generated ? undefined : field.hasDefault ? records.hasDefault : undefined}
      required={!field.optional && !field.hasDefault && !field.generated}
      withAsterisk={false}
    >
      {children(id, fault)}
    </Input.Wrapper>
  );
}

interface LineProps extends InputProps {
  readonly read: (text: string) => unknown;
  readonly write?: (value: unknown) => string;
  readonly type?: string;
  readonly inputMode?: 'numeric' | 'decimal' | 'text';
  readonly step?: string;
  readonly mono?: boolean;
}

function Line({ read, write = typed, type = 'text', inputMode, step, mono, ...props }: LineProps) {
  const { value, onChange, disabled, autoFocus, inCell, label, field } = props;
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <Input
          id={id}
          name={field.name}
          type={type}
          inputMode={inputMode}
          step={step}
          size={inCell === true ? 'xs' : 'sm'}
          classNames={{ input: mono === true ? classes.mono : '' }}
          value={value instanceof InvalidInput ? value.text : write(value)}
          error={fault !== undefined}
          aria-label={inCell === true ? label : undefined}
          aria-invalid={fault !== undefined}
          title={inCell === true ? fault : undefined}
          disabled={disabled}
          autoFocus={autoFocus}
          autoComplete="off"
          maxLength={type === 'text' && inputMode === undefined && field.size ? field.size : undefined}
          onChange={(event) => onChange(read(event.currentTarget.value))}
        />
      )}
    </Labelled>
  );
}

interface BlockProps extends InputProps {
  readonly read: (text: string) => unknown;
  readonly mono?: boolean;
}

function Block({ read, mono, ...props }: BlockProps) {
  const { value, onChange, disabled, autoFocus, inCell, label, field } = props;
  const text = typed(value);
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <textarea
          id={id}
          name={field.name}
          className={`${classes.block} ${mono === true ? classes.mono : ''}`}
          rows={inCell === true ? 1 : Math.min(18, Math.max(4, text.split('\n').length + Math.floor(text.length / 90)))}
          value={text}
          aria-label={inCell === true ? label : undefined}
          aria-invalid={fault !== undefined}
          disabled={disabled}
          autoFocus={autoFocus}
          spellCheck={mono !== true}
          onChange={(event) => onChange(read(event.currentTarget.value))}
        />
      )}
    </Labelled>
  );
}

export function StringInput(props: InputProps) {
  return <Line {...props} read={(text) => readText(text, props.field.optional)} />;
}

export function TextInput(props: InputProps) {
  return <Block {...props} read={(text) => readText(text, props.field.optional)} />;
}

export function UuidInput(props: InputProps) {
  return <Line {...props} mono read={(text) => readText(text.trim(), true)} />;
}

export function IntegerInput(props: InputProps) {
  return <Line {...props} inputMode="numeric" read={readInteger} />;
}

export function NumberInput(props: InputProps) {
  return <Line {...props} inputMode="decimal" read={readNumber} />;
}

export function TimeInput(props: InputProps) {
  return <Line {...props} type="datetime-local" step="any" read={readLocalTime} write={localTime} />;
}

export function JsonInput(props: InputProps) {
  const { value, onChange, ...rest } = props;
  const shown = typeof value === 'string' ? JSON.stringify(value) : value;
  return <Block {...rest} value={shown} mono read={readJson} onChange={onChange} />;
}

export function BytesInput(props: InputProps) {
  return <Block {...props} mono read={readBytes} />;
}

interface ChoiceProps extends InputProps {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly read: (text: string) => unknown;
}

function Choice({ choices, read, ...props }: ChoiceProps) {
  const { value, onChange, disabled, autoFocus, inCell, label, field } = props;
  const isEmpty = value === null || value === undefined;
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <Input
          component="select"
          classNames={{ input: classes.select }}
          id={id}
          name={field.name}
          size={inCell === true ? 'xs' : 'sm'}
          value={typed(value)}
          error={fault !== undefined}
          aria-label={inCell === true ? label : undefined}
          aria-invalid={fault !== undefined}
          disabled={disabled}
          autoFocus={autoFocus}
          onChange={(event) => onChange(event.currentTarget.value === '' ? null : read(event.currentTarget.value))}
        >
          {(field.optional || isEmpty) && <option value="" />}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </Input>
      )}
    </Labelled>
  );
}

export function EnumInput(props: InputProps) {
  const { enums } = props.field;
  const { value } = props;
  const isListed = typeof value !== 'string' || enums.some((item) => item.value === value);
  const choices = isListed ? enums : [...enums, { value, label: value }];
  return <Choice {...props} choices={choices} read={(text) => text} />;
}

export function BoolInput(props: InputProps) {
  const { records } = useTexts('records');
  const choices = [
    { value: 'true', label: records.yes },
    { value: 'false', label: records.no },
  ];
  return <Choice {...props} choices={choices} read={(text) => text === 'true'} />;
}
