export class TimeLimitError extends Error {
  constructor(readonly limitMs: number) {
    super(`no response within ${limitMs / 1_000} seconds`);
    this.name = 'TimeLimitError';
  }
}

/**
 * Waits for a promise that may never settle. Its later result is ignored.
 *
 * @throws TimeLimitError after `limitMs` milliseconds.
 */
export function withTimeLimit<T>(limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeLimitError(limitMs)), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
