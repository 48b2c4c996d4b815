import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { PictureSize } from '../../../kernel/schema-definition.types.js';
import type { PictureFormat } from './picture-format.js';
import { defineLimit } from '../../../kernel/limits.js';

export interface PictureTask extends PictureSize {
  readonly bytes: Readable;
  /** In bytes. */
  readonly length: number;
  /** Null for the format of the original, if all browsers show it. */
  readonly format: PictureFormat | null;
}

export interface MadePicture {
  readonly bytes: Buffer;
  readonly format: PictureFormat;
  /** Size of the original as displayed, in pixels. */
  readonly original: { readonly width: number; readonly height: number };
}

/** `missing`: the library is not installed; `invalid`: not a readable image; `failed`: the process ended or timed out. */
export type PictureOutcome = (MadePicture & { readonly kind: 'made' }) | MissingLibrary | UnmadePicture;

export interface MissingLibrary {
  readonly kind: 'missing';
  readonly detail: string;
}

export interface UnmadePicture {
  readonly kind: 'invalid' | 'failed';
  readonly detail: string;
}

export type PictureMessage = PictureOutcome | { readonly kind: 'ready' };

const MOST_PIXELS = defineLimit(
  50_000_000,
  'Files',
  'pixels of an image of which sizes are created, all frames together',
  'image_invalid',
);
const TIMEOUT_MS = 15_000;
const LIBRARY_SECONDS = 10;

export const ENDED = { kind: 'failed', detail: 'The process has ended.' } as const;

/** Sends a task to the process. @throws AppError `server_busy` if the bytes of the original cannot be read completely. */
export async function makePicture(child: ChildProcess, { bytes, ...task }: PictureTask): Promise<PictureOutcome> {
  const answer = nextMessage(child);
  child.send({ ...task, mostPixels: MOST_PIXELS, timeoutSeconds: LIBRARY_SECONDS }, () => undefined);
  const fault = await pass(bytes, task.length, child.stdin as Writable);
  // The process has received a part and would wait for the rest.
  if (fault !== 'none') child.kill('SIGKILL');
  const outcome = await answer;
  if (fault === 'unread') throw new AppError('server_busy', { cause: bytes.errored });
  return outcome.kind === 'ready' ? ENDED : outcome;
}

/** Pipes the bytes. Returns which side failed. */
async function pass(bytes: Readable, length: number, into: Writable): Promise<'none' | 'unread' | 'unwritten'> {
  try {
    let left = length;
    for await (const part of bytes as AsyncIterable<Uint8Array>) {
      left -= part.length;
      if (!into.write(part)) await drained(into);
    }
    return left === 0 ? 'none' : 'unread';
  } catch {
    return into.destroyed ? 'unwritten' : 'unread';
  }
}

/** @throws Error if the process ends. */
async function drained(into: Writable): Promise<void> {
  const ended = new AbortController();
  try {
    const { signal } = ended;
    await Promise.race([
      once(into, 'drain', { signal }),
      once(into, 'close', { signal }).then(() => {
        throw new Error('The process has ended.');
      }),
    ]);
  } finally {
    ended.abort();
  }
}

/** Returns the next message of the process. Kills the process on a timeout. */
export function nextMessage(child: ChildProcess): Promise<PictureMessage> {
  return new Promise((resolve) => {
    const settle = (message: PictureMessage): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', ended).off('error', ended);
      resolve(message);
    };
    const ended = (): void => settle(ENDED);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle({ kind: 'failed', detail: 'It took too long.' });
    }, TIMEOUT_MS);
    child.on('message', settle).on('exit', ended).on('error', ended);
  });
}
