import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const MAX_LOG_BYTES = 2 * 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;

/** Limits a log to 2 MiB. It is copied to `<name>.1` and truncated, because other processes keep it open. */
export function limitLogSize(path: string): void {
  boundLog(path);
  setInterval(() => boundLog(path), CHECK_INTERVAL_MS).unref();
}

export function boundLog(path: string, maxBytes: number = MAX_LOG_BYTES): void {
  if (sizeOf(path) <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the end of a file, at most `maxBytes`, and nothing before the given position. */
export function tailOf(path: string, fromByte = 0, maxBytes = 4096): string {
  const size = sizeOf(path);
  const start = Math.max(size - maxBytes, fromByte > size ? 0 : fromByte);
  if (size === 0 || start >= size) return '';
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(size - start);
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start)).toString();
  } finally {
    closeSync(file);
  }
}
