import { Input } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import classes from './model.module.css';

/** Returns the text of an input; empty for a value that is neither a string nor a number. */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface LabelledProps {
  label: string;
  hint?: string | undefined;
  error: string | undefined;
  children: (id: string) => ReactNode;
}

/** Keeps inputs in one row aligned, with or without description and error. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId();
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={hint}
      error={error}
      className={classes.cell}
      inputWrapperOrder={ORDER}
    >
      {children(id)}
    </Input.Wrapper>
  );
}

interface EntryProps<T> {
  label: string;
  hint?: string | undefined;
  value: unknown;
  error: string | undefined;
  inputMode?: 'numeric' | 'decimal' | undefined;
  isCode?: boolean;
  read: (text: string) => T;
  onChange: (value: T) => void;
}

/** Text input for a parsed value. The typed text is kept as long as it parses to the current value. */
export function Entry<T>({ label, hint, value, error, inputMode, isCode = false, read, onChange }: EntryProps<T>) {
  const [typed, setTyped] = useState('');
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(id) => (
        <Input
          id={id}
          value={read(typed) === value ? typed : asText(value)}
          inputMode={inputMode}
          spellCheck={!isCode}
          autoCapitalize="none"
          {...(isCode && { classNames: { input: classes.code } })}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(read(target.value));
          }}
        />
      )}
    </Labelled>
  );
}

interface ListEntryProps {
  label: string;
  hint?: string | undefined;
  values: readonly string[];
  error: string | undefined;
  read: (text: string) => readonly string[] | undefined;
  onChange: (values: readonly string[] | undefined) => void;
}

/** List input, separated by commas. The typed text is kept as long as it parses to the current values. */
export function ListEntry({ label, hint, values, error, read, onChange }: ListEntryProps) {
  const [typed, setTyped] = useState('');
  const isTyped = (read(typed) ?? []).join() === values.join();
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(id) => (
        <Input
          id={id}
          value={isTyped ? typed : values.join(', ')}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(read(target.value));
          }}
        />
      )}
    </Labelled>
  );
}

interface CheckProps {
  label: string;
  isOn: boolean;
  error: string | undefined;
  onChange: (isOn: boolean) => void;
}

export function Check({ label, isOn, error, onChange }: CheckProps) {
  const id = useId();
  return (
    <>
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={error === undefined ? undefined : id}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
      {error !== undefined && <Input.Error id={id}>{error}</Input.Error>}
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  labels?: Readonly<Record<string, string>>;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A current value that is not an option stays selectable. */
export function Choice({ label, value, options, labels = {}, error, onChange }: ChoiceProps) {
  const all = options.includes(value) ? options : [value, ...options];
  return (
    <Labelled label={label} error={error}>
      {(id) => (
        <Input component="select" id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          {all.map((item) => (
            <option key={item} value={item}>
              {labels[item] ?? item}
            </option>
          ))}
        </Input>
      )}
    </Labelled>
  );
}
