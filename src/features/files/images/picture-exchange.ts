import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../../kernel/app-error.js';
import type { PictureSize } from '../../../kernel/schema-definition.types.js';
import type { PictureFormat } from './picture-format.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Picture that is to be made. */
export interface PictureTask extends PictureSize {
  readonly bytes: Readable;
  /** Number of bytes. */
  readonly length: number;
  /** Null for that of the picture, as far as every browser shows it. */
  readonly format: PictureFormat | null;
}

/** A picture that was made. */
export interface MadePicture {
  readonly bytes: Buffer;
  readonly format: PictureFormat;
  /** The picture that it was made of, as it is shown, in pixels. */
  readonly original: { readonly width: number; readonly height: number };
}

/** `missing`: there is no library; `invalid`: it is no picture that can be read; `failed`: the process ended, or took too long. */
export type PictureOutcome = (MadePicture & { readonly kind: 'made' }) | MissingLibrary | UnmadePicture;

/** There is nothing to make pictures by. */
export interface MissingLibrary {
  readonly kind: 'missing';
  readonly detail: string;
}

/** A picture that could not be made. */
export interface UnmadePicture {
  readonly kind: 'invalid' | 'failed';
  readonly detail: string;
}

/** Message of a process of pictures. */
export type PictureMessage = PictureOutcome | { readonly kind: 'ready' };

/** Pixels of a picture, of all its frames together. */
const MOST_PIXELS = defineLimit(
  50_000_000,
  'Files',
  'pixels of an image of which sizes are created, all frames together',
  'image_invalid',
);
const TIMEOUT_MS = 15_000;
const LIBRARY_SECONDS = 10;

/** Outcome of a process that says nothing any more. */
export const ENDED = { kind: 'failed', detail: 'The process has ended.' } as const;

/** Has a process make a picture, whose bytes pass by. @throws AppError `server_busy` if they break off. */
export async function makePicture(child: ChildProcess, { bytes, ...task }: PictureTask): Promise<PictureOutcome> {
  const answer = nextMessage(child);
  child.send({ ...task, mostPixels: MOST_PIXELS, timeoutSeconds: LIBRARY_SECONDS }, () => undefined);
  const fault = await pass(bytes, task.length, child.stdin as Writable);
  // It has got a part, and waits for the rest.
  if (fault !== 'none') child.kill('SIGKILL');
  const said = await answer;
  if (fault === 'unread') throw new AppError('server_busy', { cause: bytes.errored });
  return said.kind === 'ready' ? ENDED : said;
}

/** Returns whether all bytes of a length went by, or which side broke off. */
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

/** Waits until a stream takes more. @throws Error if it never will. */
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

/** Returns what the process says next; one that says nothing in time is ended. */
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
