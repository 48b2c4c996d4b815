import type { SqlStatement } from '../render/sql-writer.js';
import { type PlaceholderName, Placeholder } from '../resolve/placeholder.js';

export interface PreparedStatement extends SqlStatement {
  readonly placeholders: readonly (readonly [index: number, name: PlaceholderName])[];
}

export function prepareStatement({ text, parameters }: SqlStatement): PreparedStatement {
  const placeholders = parameters.flatMap((value, index) =>
    value instanceof Placeholder ? [[index, value.name] as const] : [],
  );
  return { text, parameters, placeholders };
}

export function bindPlaceholders(
  { text, parameters, placeholders }: PreparedStatement,
  valueOf: (name: PlaceholderName) => unknown,
): SqlStatement {
  if (placeholders.length === 0) return { text, parameters };
  const values = [...parameters];
  for (const [index, name] of placeholders) values[index] = valueOf(name);
  return { text, parameters: values };
}
