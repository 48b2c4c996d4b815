import { AppError, type FieldFault } from '../../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../../kernel/limits.js';

const MESSAGES = {
  unknown_field: 'is not a field that you can write',
  required: 'is required',
  immutable: 'cannot be changed',
  read_only: 'is set by the service',
  reference_invalid: 'must be {"id": …}, a new record, or null',
  list_invalid: 'must be a list of records, or an object with $add, $remove or $set',
  file_not_allowed: 'refers to a file of a type or size that the field does not accept',
  value_invalid: 'does not fit the field',
  value_reserved: 'is reserved: no route could reach a record with this key',
  body_invalid: 'must be an object',
} as const;

export type PlainFaultCode = keyof typeof MESSAGES;

/** A code in `data.errors` of `field_invalid`, and its message. The message of a limit names the limit. */
type WriteFault = readonly [code: PlainFaultCode, message?: string] | readonly [code: 'too_many', message: string];

const MAX_FAULTS = defineLimit(100, 'Content', 'errors that one response lists', null);

export class WriteFaults {
  private readonly faults: FieldFault[] = [];

  /** Adds an error once. A message replaces the default of the code. */
  add(field: string, ...[code, message]: WriteFault): void {
    if (this.isFull) return;
    const isReported = this.faults.some((fault) => fault.field === field && fault.code === code);
    if (!isReported)
      this.faults.push({ field: field.slice(0, 200), code, message: message ?? MESSAGES[code as PlainFaultCode] });
  }

  /** True if the maximum number of errors is reached. Further ones are not added. */
  get isFull(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  /** @throws AppError `field_invalid` with all errors. */
  assertNone(): void {
    if (this.faults.length > 0) throw AppError.fieldInvalid(this.faults);
  }
}

/** Returns the error of a write with a single error. */
export function fieldInvalid(field: string, ...[code, message]: WriteFault): AppError {
  return AppError.fieldInvalid([{ field, code, message: message ?? MESSAGES[code as PlainFaultCode] }]);
}

export function referenceNotFound(location: string): AppError {
  return new AppError('reference_not_found', { details: { errors: [referenceFault(location)] } });
}

export function referenceFault(field: string): FieldFault {
  return { field, code: 'reference_not_found', message: 'refers to a record that does not exist' };
}
