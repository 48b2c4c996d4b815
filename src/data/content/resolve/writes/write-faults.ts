import { AppError, type FieldFault } from '../../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../../kernel/limits.js';

/** Faults of a value that is written, with the text for people. */
const MESSAGES = {
  unknown_field: 'is not a field that you can write',
  required: 'is required',
  immutable: 'cannot be changed',
  read_only: 'is filled by the service',
  reference_invalid: 'must be {"id": …}, a new record, or null',
  list_invalid: 'must be a list of records, or an object with $add, $remove or $set',
  file_not_allowed: 'leads to a file of a type or size that the field does not take',
  value_invalid: 'does not fit the field',
  value_reserved: 'is reserved: no address would lead to a record with this key',
  body_invalid: 'must be an object',
} as const;

/** A code with a text that is always the same. */
export type PlainFaultCode = keyof typeof MESSAGES;

/** A code in `data.errors` of `field_invalid`, and its message. That of a limit names the limit. */
type WriteFault = readonly [code: PlainFaultCode, message?: string] | readonly [code: 'too_many', message: string];

/** Faults of one response. A body decides how many it has. */
const MAX_FAULTS = defineLimit(100, 'Content', 'errors that one answer lists', null);

/** The faults of one write, gathered so that all are told at once. */
export class WriteFaults {
  private readonly faults: FieldFault[] = [];

  /** Notes a fault, once. A message adds details to the text of the code. */
  add(field: string, ...[code, message]: WriteFault): void {
    if (this.isFull) return;
    const isKnown = this.faults.some((fault) => fault.field === field && fault.code === code);
    if (!isKnown)
      this.faults.push({ field: field.slice(0, 200), code, message: message ?? MESSAGES[code as PlainFaultCode] });
  }

  /** Whether there are as many faults as one response contains; more are not added. */
  get isFull(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  /** Notes a fault that another check found. */
  addFault(fault: FieldFault): void {
    this.faults.push(fault);
  }

  /** @throws AppError `field_invalid` with every fault. */
  assertNone(): void {
    if (this.faults.length > 0) throw new AppError('field_invalid', { details: { errors: this.faults } });
  }
}

/** Returns the refusal of one field. */
export function fieldInvalid(field: string, code: PlainFaultCode, cause?: unknown): AppError {
  const errors = [{ field, code, message: MESSAGES[code] }];
  return new AppError('field_invalid', { details: { errors }, cause });
}
