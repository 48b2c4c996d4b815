import { create } from 'content-disposition';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/app-error.js';
import { knowsTag } from '../../../platform/http/http.public.js';
import type { ReadableFile } from '../file-object.entity.js';
import type { ByteRange } from '../storage/file-storage.port.js';

/** Way in which a file is handed out. */
export interface Delivery {
  /** Whether it is for saving, whatever it is. */
  readonly isSaved: boolean;
  /** Whether anybody may have it: a cache may keep it, and pages of others may show it. */
  readonly isPublic: boolean;
  /** Whether pages of others may show it, for the address says who may have it. */
  readonly isSigned: boolean;
}

/** Range of a file that is asked for: all of it, a part, or a part that there is not. */
export type AskedRange = ByteRange | 'whole' | 'unsatisfiable';

/** An answer without its body: a part of the file, all of it, or nothing. */
export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Range that is sent; null for nothing. */
  readonly range: ByteRange | null;
}

/** Types that a browser may show or play on our origin, as far as the first bytes of a file say them: none of them runs anything. */
const SHOWN: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
  'video/mp4',
  'video/webm',
]);
/** Types that are told as they are: nothing of them is shown as a page. Of what else its sender says nothing is told. */
const TOLD: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'application/json']);
const UNKNOWN = 'application/octet-stream';
const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;
/** A file that is opened by itself is a page of its own, which loads itself and nothing else, and belongs to no origin. */
const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";
/** The player of a browser asks for the film again, and as a page of another origin it would not get it. Nothing runs there either. */
const PLAYER_POLICY = `${POLICY} allow-same-origin`;
const PLAYED = /^(?:audio|video)\//;

/**
 * Returns the answer to a request for a file that its sender may have (RFC 9110 §13, §14).
 *
 * @throws AppError `precondition_failed` if `If-Match` does not name the file's tag.
 */
export function fileAnswer(
  file: ReadableFile,
  request: Pick<FastifyRequest, 'headers' | 'method'>,
  delivery: Delivery,
): FileAnswer {
  const tag = `"${file.sha256}"`;
  const common = { ...headersOf(file, delivery), etag: tag };
  if (!matchesTag(request.headers['if-match'], tag)) throw new AppError('precondition_failed');
  if (knowsTag(request, tag)) return { status: 304, headers: common, range: null };
  const { size } = file;
  const { range: asked, 'if-range': onlyIf } = request.headers;
  // A range is defined for GET alone (RFC 9110 §14.2).
  const isForRange = request.method === 'GET' && (onlyIf === undefined || onlyIf === tag);
  const range = isForRange ? askedRange(asked, size) : 'whole';
  if (range === 'unsatisfiable')
    return {
      status: 416,
      headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' },
      range: null,
    };
  if (range === 'whole') {
    const headers = { ...common, 'content-length': String(size) };
    return { status: 200, headers, range: size === 0 ? null : { start: 0, end: size - 1 } };
  }
  const { start, end } = range;
  const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) };
  return { status: 206, headers: { ...common, ...part }, range };
}

/** Returns whether `If-Match` lets a tag pass: compared strongly (RFC 9110 §13.1.1). */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim() === tag);
}

function headersOf({ name, type, recognised }: ReadableFile, delivery: Delivery): Record<string, string> {
  const isShown = recognised !== null && SHOWN.has(recognised) && !delivery.isSaved;
  return {
    'content-type': toldType(type, recognised),
    'content-disposition': create(name, { type: isShown ? 'inline' : 'attachment' }),
    'content-security-policy': isShown && PLAYED.test(recognised) ? PLAYER_POLICY : POLICY,
    'cross-origin-resource-policy': delivery.isPublic || delivery.isSigned ? 'cross-origin' : 'same-origin',
    'cache-control': delivery.isPublic ? 'public, no-cache' : 'private, no-cache',
    vary: 'Authorization, Cookie, Origin',
    'accept-ranges': 'bytes',
  };
}

function toldType(type: string, recognised: string | null): string {
  if (recognised !== null && SHOWN.has(recognised)) return recognised;
  if (recognised === 'application/pdf') return recognised;
  return TOLD.has(type) ? `${type}; charset=utf-8` : UNKNOWN;
}

/**
 * Returns what a `Range` asks for (RFC 9110 §14). One that cannot be read, or asks for several parts, is as if it were not there: to
 * answer the whole is always right, and costs less than many small parts would.
 */
export function askedRange(header: string | undefined, size: number): AskedRange {
  const match = RANGE.exec(header?.replace(/[ \t]+/g, '') ?? '');
  if (match === null) return 'whole';
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
