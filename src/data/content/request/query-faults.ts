import { AppError, type FieldFault } from '../../../kernel/app-error.js';
import type { ContentLimits } from './content-limits.js';
import '../content.errors.js';

/** Faults of the query of a content request, with the text for people. */
const MESSAGES = {
  unknown_parameter: 'is not a parameter of this route',
  required: 'is required',
  repeated_parameter: 'is given more than once',
  malformed: 'is not well-formed',
  unknown_field: 'is not a field that you can use here',
  unknown_operator: 'is not an operator',
  operator_unfit: 'does not go with this operator',
  value_invalid: 'has a value that does not fit the field',
  too_many: 'has too many entries',
  too_long: 'is too long',
  too_deep: 'goes too deep',
  out_of_range: 'is out of range',
} as const;

/** A code in `data.errors` of `query_invalid`. */
export type QueryFaultCode = keyof typeof MESSAGES;

/** Limits against which one query is held, and its faults, gathered so that all are told at once. */
export class QueryFaults {
  private readonly faults: FieldFault[] = [];

  constructor(readonly limits: ContentLimits) {}

  /** Notes a fault; the message says more than the table where more is known. A hidden name and an unknown one are told by the same words. */
  add(field: string, code: QueryFaultCode, message: string = MESSAGES[code]): void {
    if (this.faults.length < 50) this.faults.push({ field: field.slice(0, 200), code, message });
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
