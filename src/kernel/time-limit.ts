export class TimeLimitError extends Error {
  constructor(readonly limitMs: number) {
    super(`no response within ${limitMs / 1_000} seconds`);
    this.name = 'TimeLimitError';
  }
}

/**
 * Waits for work that may never end. Its later result is ignored.
 *
 * @throws TimeLimitError after `limitMs` milliseconds; the error of the work, also if it throws before it returns a promise.
 */
export function withTimeLimit<T>(limitMs: number, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeLimitError(limitMs)), limitMs);
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
