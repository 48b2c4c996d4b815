import { filetypeinfo } from 'magic-bytes.js';

/** Number of first bytes that contain the signature of a type. */
export const HEAD_BYTES = 4_096;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Media types by their name in the library. The signatures of its other types are too short. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['heif', 'image/heic'],
  ['tif', 'image/tiff'],
  ['psd', 'image/vnd.adobe.photoshop'],
  ['mp4', 'video/mp4'],
  ['mkv', 'video/x-matroska'],
  ['avi', 'video/x-msvideo'],
  ['mov', 'video/quicktime'],
  ['ogx', 'audio/ogg'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['gz', 'application/gzip'],
  ['7z', 'application/x-7z-compressed'],
  ['rar', 'application/vnd.rar'],
  ['SVG', 'image/svg+xml'],
]);

/** Types that a browser displays, plays or opens. A file gets one only by its signature. */
const DISPLAYED: ReadonlySet<string> = new Set([...KINDS.values(), 'video/webm']);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-flac', 'audio/flac'],
  ['application/x-pdf', 'application/pdf'],
  ['application/x-zip-compressed', 'application/zip'],
  ['application/x-gzip', 'application/gzip'],
  ['image/apng', 'image/png'],
]);
/** Container formats of other types, which only the sender can distinguish. */
const CONTAINERS: ReadonlyMap<string, RegExp> = new Map([
  ['application/zip', /^application\/(vnd\.|epub\+zip$|java-archive$|x-)|^model\//],
  ['application/gzip', /^application\/|^image\/svg\+xml$/],
  ['video/mp4', /^(audio\/(mp4|x-m4a|aac)|video\/(quicktime|3gpp2?|x-m4v)|image\/(heic|heif|avif))$/],
  ['video/webm', /^(audio\/webm|video\/x-matroska)$/],
  ['audio/ogg', /^(video\/ogg|application\/ogg|audio\/opus)$/],
  ['image/tiff', /^image\//],
]);

/** RFC 9110 §8.3.1. */
const MEDIA_TYPE = /^\s*([a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100})\s*(?:;|$)/i;

export interface FileType {
  readonly type: string;
  /** Type by the signature; null if there is none. A browser displays only these. */
  readonly recognised: string | null;
}

function recognise(head: Uint8Array): string | null {
  for (const { typename } of filetypeinfo(head)) {
    const kind = KINDS.get(typename);
    // Both are Matroska. The doctype in the header distinguishes them.
    if (kind === 'video/x-matroska' && Buffer.from(head.subarray(0, 64)).includes('webm')) return 'video/webm';
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Returns a declared type without its parameters; null if it is invalid or unspecific. */
export function declaredType(declared: string | undefined): string | null {
  const [, type] = MEDIA_TYPE.exec(declared ?? '') ?? [];
  if (type === undefined) return null;
  const plain = type.toLowerCase();
  return plain === UNKNOWN_TYPE ? null : (ALIASES.get(plain) ?? plain);
}

/**
 * Returns the type of a file; null if its signature contradicts the declared type. A type without a signature, such as text, is taken from
 * the declaration, because no browser displays it.
 */
export function fileType(head: Uint8Array, declared: string | null): FileType | null {
  const recognised = recognise(head);
  if (declared === null) return { type: recognised ?? UNKNOWN_TYPE, recognised };
  if (declared === recognised) return { type: declared, recognised };
  if (recognised !== null && CONTAINERS.get(recognised)?.test(declared) === true) return { type: declared, recognised };
  // SVG is text: it may begin with a declaration or a comment. It is never displayed.
  if (declared === 'image/svg+xml' && recognised === null) return { type: declared, recognised };
  if (DISPLAYED.has(declared)) return null;
  return { type: recognised ?? declared, recognised };
}
