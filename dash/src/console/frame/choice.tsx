import { Input } from '@mantine/core';
import { useId } from 'react';

interface ChoiceProps<T extends string> {
  label: string;
  options: readonly (readonly [value: T, text: string])[];
  value: T;
  size?: 'xs' | 'sm';
  onChange: (value: T) => void;
}

export function Choice<T extends string>({ label, options, value, size = 'sm', onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <Input.Wrapper label={label} id={id} size={size}>
      <Input
        component="select"
        size={size}
        id={id}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </Input>
    </Input.Wrapper>
  );
}
