import { create } from 'content-disposition';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { matchesEtag } from '../../../platform/http/http.public.js';
import type { ReadableFile } from '../file-objects.service.js';
import type { ByteRange } from '../storage/file-storage.port.js';

export interface Delivery {
  /** Whether the browser saves it instead of displaying it. */
  readonly isSaved: boolean;
  /** Whether guests can read it: shared caches may store it, and other origins may embed it. */
  readonly isPublic: boolean;
  /** Whether the URL is signed: other origins may embed it. */
  readonly isSigned: boolean;
}

export type RequestedRange = ByteRange | 'whole' | 'unsatisfiable';

export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an empty body. */
  readonly range: ByteRange | null;
}

/** Types by signature that a browser may display on this origin, because none of them runs scripts. */
const INLINE_TYPES: ReadonlySet<string> = new Set([
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
/** Declared types that are sent: a browser does not display them as a page. Others are sent as {@link UNKNOWN}. */
const DECLARED_TYPES: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'application/json']);
const UNKNOWN = 'application/octet-stream';
const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;
/** A file that is opened as a page loads only itself and has an opaque origin. */
const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";
/** The media player of a browser requests the file again, which needs the same origin. No scripts run. */
const PLAYER_POLICY = `${POLICY} allow-same-origin`;
const PLAYED = /^(?:audio|video)\//;

/** Returns the response for an allowed request (RFC 9110 §13, §14). @throws AppError `precondition_failed` if `If-Match` does not match. */
export function fileAnswer(
  file: ReadableFile,
  request: Pick<FastifyRequest, 'headers' | 'method'>,
  delivery: Delivery,
): FileAnswer {
  const tag = `"${file.sha256}"`;
  const common = { ...headersOf(file, delivery), etag: tag };
  if (!matchesTag(request.headers['if-match'], tag)) throw new AppError('precondition_failed');
  if (matchesEtag(request, tag)) return { status: 304, headers: common, range: null };
  const { size } = file;
  const { range: rangeHeader, 'if-range': onlyIf } = request.headers;
  // A range is defined for GET alone (RFC 9110 §14.2).
  const isForRange = request.method === 'GET' && (onlyIf === undefined || onlyIf === tag);
  const range = isForRange ? requestedRange(rangeHeader, size) : 'whole';
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

/** Strong comparison (RFC 9110 §13.1.1). */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim() === tag);
}

function headersOf({ name, type, recognised }: ReadableFile, delivery: Delivery): Record<string, string> {
  const isInline = recognised !== null && INLINE_TYPES.has(recognised) && !delivery.isSaved;
  return {
    'content-type': contentType(type, recognised),
    'content-disposition': create(name, { type: isInline ? 'inline' : 'attachment' }),
    'content-security-policy': isInline && PLAYED.test(recognised) ? PLAYER_POLICY : POLICY,
    'cross-origin-resource-policy': delivery.isPublic || delivery.isSigned ? 'cross-origin' : 'same-origin',
    'cache-control': delivery.isPublic ? 'public, no-cache' : 'private, no-cache',
    vary: 'Authorization, Cookie, Origin',
    'accept-ranges': 'bytes',
  };
}

function contentType(type: string, recognised: string | null): string {
  if (recognised !== null && INLINE_TYPES.has(recognised)) return recognised;
  if (recognised === 'application/pdf') return recognised;
  return DECLARED_TYPES.has(type) ? `${type}; charset=utf-8` : UNKNOWN;
}

/**
 * Parses `Range` (RFC 9110 §14). An invalid header and several ranges are ignored: the whole file is a valid response, and cheaper than
 * many small parts.
 */
export function requestedRange(header: string | undefined, size: number): RequestedRange {
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
