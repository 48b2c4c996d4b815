import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { ContentLimits } from './content-limits.js';
import '../content.errors.js';

const MESSAGES = {
  unknown_parameter: 'is not a parameter of this route',
  required: 'is required',
  repeated_parameter: 'is sent more than once',
  repeated_name: 'is listed more than once',
  malformed: 'is not well-formed',
  unknown_field: 'is not a field that you can use here',
  unknown_operator: 'is not an operator',
  operator_unfit: 'does not support this operator',
  value_invalid: 'has a value that does not fit the field',
} as const;

export type PlainFaultCode = keyof typeof MESSAGES;

type LimitFaultCode = 'too_many' | 'too_long' | 'too_deep' | 'out_of_range';

export type QueryFault =
  | readonly [code: PlainFaultCode, message?: string]
  | readonly [code: LimitFaultCode, message: string];

export class QueryFaults {
  private readonly faults: FieldFault[] = [];

  constructor(readonly limits: ContentLimits) {}

  /** Adds an error; a message replaces the default of the code. Hidden and unknown names get the same message. */
  add(field: string, ...[code, message]: QueryFault): void {
    if (this.faults.length >= 50) return;
    const text = message ?? MESSAGES[code as PlainFaultCode];
    this.faults.push({ field: field.slice(0, 200), code, message: text });
  }

  addRepeated(field: string, names: readonly string[]): void {
    const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    for (const name of repeated) this.add(field, 'repeated_name', `has ${JSON.stringify(name)} more than once`);
  }

  get isEmpty(): boolean {
    return this.faults.length === 0;
  }

  /** @throws AppError `query_invalid` with all errors. */
  assertNone(): void {
    if (this.faults.length > 0) throw this.toError();
  }

  toError(): AppError {
    return new AppError('query_invalid', { details: { errors: this.faults } });
  }
}

/** Returns the error of a request with a single error. */
export function queryInvalid(limits: ContentLimits, field: string, ...fault: QueryFault): AppError {
  const faults = new QueryFaults(limits);
  faults.add(field, ...fault);
  return faults.toError();
}

export function tooDeep(depth: number): string {
  return `has more than ${depth} relations in one path`;
}
