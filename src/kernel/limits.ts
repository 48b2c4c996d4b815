import type { ErrorCode } from './errors/error-catalogue.js';

/** A fixed limit, as a row of `docs/reference/limits.md`. */
interface Limit {
  readonly area: string;
  /** The counted unit: "bytes of a request body". */
  readonly subject: string;
  readonly value: number;
  /** Error code of a request that exceeds the limit; null if the response or the stored value is shortened instead. */
  readonly error: ErrorCode | null;
}

const LIMITS: Limit[] = [];

/**
 * Defines a fixed limit that a caller can reach, next to the code that applies it, and returns the value. A limit that no caller can reach,
 * such as the size of a cache, is a plain constant with `@internal` in its comment.
 */
export function defineLimit(
  value: number,
  area: string,
  subject: string,
  error: ErrorCode | null = 'validation_failed',
): number {
  LIMITS.push({ area, subject, value, error });
  return value;
}

export function limits(): readonly Limit[] {
  const order = ({ area, subject }: Limit): string => `${area}\n${subject}`;
  return [...LIMITS].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}
