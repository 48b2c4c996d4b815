import type { SchemaFault } from './schema-fault.js';

/** The `data` of a 422 answer (specification, "Schema validation errors"). */
export interface SchemaFaultPayload {
  readonly schema: string;
  readonly field_errors: readonly Omit<SchemaFault, 'cause'>[];
}

/** Turns faults into the payload: the first affected schema, and every entry without its private cause. */
export function fieldErrors(faults: readonly SchemaFault[]): SchemaFaultPayload {
  const schema = faults.find((fault) => fault.schema !== undefined)?.schema ?? '';
  return { schema, field_errors: faults.map(({ cause: _cause, ...entry }) => entry) };
}
