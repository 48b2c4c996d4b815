import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { ContentLimits } from './content-limits.js';
import '../content.errors.js';

/** Faults of the query of a content request, with the text for people. */
const MESSAGES = {
  unknown_parameter: 'is not a parameter of this route',
  required: 'is required',
  repeated_parameter: 'is given more than once',
  repeated_name: 'is in the list more than once',
  malformed: 'is not well-formed',
  unknown_field: 'is not a field that you can use here',
  unknown_operator: 'is not an operator',
  operator_unfit: 'does not go with this operator',
  value_invalid: 'has a value that does not fit the field',
} as const;

/** A code with a text that is always the same. */
export type PlainFaultCode = keyof typeof MESSAGES;

/** A code of a limit. Its message names the limit. */
type LimitFaultCode = 'too_many' | 'too_long' | 'too_deep' | 'out_of_range';

/** A code in `data.errors` of `query_invalid`, and its message. */
export type QueryFault =
  | readonly [code: PlainFaultCode, message?: string]
  | readonly [code: LimitFaultCode, message: string];

/** Limits against which one query is held, and its faults, gathered so that all are told at once. */
export class QueryFaults {
  private readonly faults: FieldFault[] = [];

  constructor(readonly limits: ContentLimits) {}

  /** Notes a fault. A message adds details to the text of the code. Hidden and unknown names have the same text. */
  add(field: string, ...[code, message]: QueryFault): void {
    if (this.faults.length >= 50) return;
    const text = message ?? MESSAGES[code as PlainFaultCode];
    this.faults.push({ field: field.slice(0, 200), code, message: text });
  }

  /** Notes the names that a list has more than once. */
  addRepeated(field: string, names: readonly string[]): void {
    const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    for (const name of repeated) this.add(field, 'repeated_name', `has ${JSON.stringify(name)} more than once`);
  }

  /** Whether anything was noted. */
  get isEmpty(): boolean {
    return this.faults.length === 0;
  }

  /** @throws AppError `query_invalid` with every fault. */
  assertNone(): void {
    if (this.faults.length > 0) throw new AppError('query_invalid', { details: { errors: this.faults } });
  }
}

/** Returns the message of a path with too many relations. */
export function tooDeep(depth: number): string {
  return `has more than ${depth} relations in one path`;
}
