import type { SqlStatement } from '../render/sql-writer.js';
import { type PlaceholderName, Placeholder } from '../resolve/placeholder.js';

/** A statement that is compiled once and runs often, each time with other values bound to its placeholders. */
export interface PreparedStatement extends SqlStatement {
  /** The parameters that are placeholders. */
  readonly placeholders: readonly (readonly [index: number, name: PlaceholderName])[];
}

/** Finds the placeholders of a statement. */
export function prepareStatement({ text, parameters }: SqlStatement): PreparedStatement {
  const placeholders = parameters.flatMap((value, index) =>
    value instanceof Placeholder ? [[index, value.name] as const] : [],
  );
  return { text, parameters, placeholders };
}

/** Returns the statement with the values of one request. */
export function bindPlaceholders(
  { text, parameters, placeholders }: PreparedStatement,
  valueOf: (name: PlaceholderName) => unknown,
): SqlStatement {
  if (placeholders.length === 0) return { text, parameters };
  const values = [...parameters];
  for (const [index, name] of placeholders) values[index] = valueOf(name);
  return { text, parameters: values };
}
