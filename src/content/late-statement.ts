import type { SqlStatement } from './render/sql-writer.js';
import { type LateName, LateValue } from './resolve/late-value.js';

/** A statement that is made once and runs often, each time with other values in some places. */
export interface LateStatement extends SqlStatement {
  /** Which parameters are filled in, and with what. */
  readonly late: readonly (readonly [index: number, name: LateName])[];
}

/** Finds what has to be filled in. */
export function lateStatement({ text, parameters }: SqlStatement): LateStatement {
  const late = parameters.flatMap((value, index) => (value instanceof LateValue ? [[index, value.name] as const] : []));
  return { text, parameters, late };
}

/** The statement with the values of one request. */
export function filledIn(
  { text, parameters, late }: LateStatement,
  valueOf: (name: LateName) => unknown,
): SqlStatement {
  if (late.length === 0) return { text, parameters };
  const values = [...parameters];
  for (const [index, name] of late) values[index] = valueOf(name);
  return { text, parameters: values };
}
