import { AppError } from '../../kernel/app-error.js';
import type { FileFieldDefinition } from '../../kernel/schema-definition.types.js';

/** Returns whether a type is one of those of a field: as it is, or by its kind (`image/*`). */
export function isTypeTaken(rules: FileFieldDefinition | null, type: string): boolean {
  const { types } = rules ?? {};
  return (
    types === undefined ||
    types.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
  );
}

/** Returns why a field does not take a file; null if it does. */
export function refusalOf(
  rules: FileFieldDefinition | null,
  { type, size }: { readonly type: string; readonly size: number },
): AppError | null {
  const maxSize = rules?.max_size;
  if (maxSize !== undefined && size > maxSize) return tooLarge(maxSize);
  return isTypeTaken(rules, type) ? null : typeNotTaken(rules);
}

/** Returns the refusal of a file that is too large. */
export function tooLarge(maxSize: number): AppError {
  return new AppError('file_too_large', { details: { max_size: maxSize } });
}

/** Returns the refusal of a file of another type than those of a field. */
export function typeNotTaken(rules: FileFieldDefinition | null): AppError {
  return new AppError('file_type_not_allowed', { details: { types: rules?.types } });
}
