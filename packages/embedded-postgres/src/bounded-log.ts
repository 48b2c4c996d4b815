import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const MAX_LOG_BYTES = 2 * 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;

/**
 * Keeps a log that other processes append to from growing without end: beyond 2 MiB it is moved to `<name>.1`
 * (one older file is kept) by copying and emptying it, since its writers keep it open.
 */
export function keepBounded(path: string): void {
  boundLog(path);
  setInterval(() => boundLog(path), CHECK_INTERVAL_MS).unref();
}

/** Moves a log that has grown too large out of the way, once. */
export function boundLog(path: string, maxBytes: number = MAX_LOG_BYTES): void {
  if (sizeOf(path) <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

/** Returns the size of a file in bytes; 0 when there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the end of a file, at most so many bytes, and nothing from before the given position. */
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
