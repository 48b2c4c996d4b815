import { Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './model.module.css';

/** What an input shows of a value; nothing of what is neither a text nor a number. */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface LabelledProps {
  label: string;
  hint?: string | undefined;
  error: string | undefined;
  children: (id: string) => ReactNode;
}

/** An input under its name, with what is wrong with it. */
export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId();
  return (
    <Input.Wrapper id={id} label={label} description={hint} error={error} className={classes.cell}>
      {children(id)}
    </Input.Wrapper>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  words?: Readonly<Record<string, string>>;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A list to choose from. What stands there and is not in it is kept until another is chosen. */
export function Choice({ label, value, options, words = {}, error, onChange }: ChoiceProps) {
  const all = options.includes(value) ? options : [value, ...options];
  return (
    <Labelled label={label} error={error}>
      {(id) => (
        <Input component="select" id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          {all.map((one) => (
            <option key={one} value={one}>
              {words[one] ?? one}
            </option>
          ))}
        </Input>
      )}
    </Labelled>
  );
}
