import { createHash } from 'node:crypto';
import { filetypeinfo } from 'magic-bytes.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { FileFieldDefinition } from '../../../kernel/schema-definition.types.js';
import { type Dimensions, dimensionsOf, isImage, IMAGE_HEAD_BYTES } from '../images/image-header.js';

/** Number of first bytes that contain the signature of a type. */
const HEAD_BYTES = 4_096;
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

export interface AnnouncedFile {
  readonly name: string;
  /** Media type; null if none was declared. */
  readonly declared: string | null;
  /** In bytes; null if unknown. */
  readonly size: number | null;
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string | null;
}

export interface UploadSource extends AnnouncedFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when the rest of a form has arrived. */
  readonly arrived?: () => Promise<void>;
}

export interface CheckedFile extends FileType {
  readonly size: number;
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
  /** Of an image; null if its first bytes do not contain them. */
  readonly dimensions: Dimensions | null;
}

/**
 * Checks a stream: its size, its type after the first bytes, and at the end its length and checksum. It buffers only the first bytes, 128
 * KB for an image.
 */
export class CheckedBytes {
  private readonly hash = createHash('sha256');
  private head = Buffer.alloc(0);
  private size = 0;
  private type: FileType | null = null;
  private digest: string | undefined;
  private image: Buffer | null = null;
  private imageBytes = 0;

  private readonly maxSize: number;

  /** @param rules of the field that the file is linked to. */
  constructor(
    private readonly source: UploadSource,
    maxBytes: number,
    private readonly rules: FileFieldDefinition | null = null,
  ) {
    this.maxSize = Math.min(maxBytes, rules?.max_size ?? maxBytes);
    if ((source.size ?? 0) > this.maxSize) throw tooLarge(this.maxSize);
  }

  /** @throws AppError `file_too_large`, `file_type_not_allowed`, `checksum_mismatch`, or `upload_incomplete` if the sender disconnects. */
  async *pass(): AsyncGenerator<Uint8Array> {
    const { source, maxSize } = this;
    for await (const part of withLength(source.bytes)) {
      this.size += part.length;
      if (this.size > maxSize) throw tooLarge(maxSize);
      this.hash.update(part);
      if (this.type === null) this.detect(part, this.head.length + part.length >= HEAD_BYTES);
      else this.captureHeader(part);
      yield part;
    }
    if (this.type === null) this.detect(Buffer.alloc(0), true);
    await source.arrived?.();
    if (source.size !== null && source.size !== this.size) throw new AppError('upload_incomplete');
    this.digest = this.hash.digest('hex');
    if (source.sha256 !== null && source.sha256 !== this.digest) throw new AppError('checksum_mismatch');
  }

  /** @throws TypeError before the stream has ended. */
  get result(): CheckedFile {
    const { type, digest, size } = this;
    if (type === null || digest === undefined) throw new TypeError('The file is not complete.');
    const dimensions = this.image && dimensionsOf(type.recognised, this.image.subarray(0, this.imageBytes));
    return { ...type, size, sha256: digest, dimensions };
  }

  private detect(part: Uint8Array, isEnough: boolean): void {
    const before = this.head;
    this.head = Buffer.concat([this.head, part.subarray(0, HEAD_BYTES - this.head.length)]);
    if (!isEnough) return;
    this.type = fileType(this.head, this.source.declared);
    this.head = Buffer.alloc(0);
    if (this.type === null)
      throw new AppError('file_type_not_allowed', {
        message: 'The content of the file does not match its declared type.',
      });
    if (!isTypeTaken(this.rules, this.type.type)) throw typeNotTaken(this.rules);
    if (!isImage(this.type.recognised)) return;
    this.image = Buffer.allocUnsafe(IMAGE_HEAD_BYTES);
    this.captureHeader(before);
    this.captureHeader(part);
  }

  private captureHeader(part: Uint8Array): void {
    const { image, imageBytes } = this;
    if (image === null || imageBytes === image.length) return;
    const captured = part.subarray(0, image.length - imageBytes);
    image.set(captured, imageBytes);
    this.imageBytes += captured.length;
  }
}

async function* withLength(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('upload_incomplete', { cause: error });
  }
}

function isTypeTaken(rules: FileFieldDefinition | null, type: string): boolean {
  const { types } = rules ?? {};
  return (
    types === undefined ||
    types.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
  );
}

/** Returns why a field refuses a file; null if it accepts it. */
export function refusalOf(
  rules: FileFieldDefinition | null,
  { type, size }: { readonly type: string; readonly size: number },
): AppError | null {
  const maxSize = rules?.max_size;
  if (maxSize !== undefined && size > maxSize) return tooLarge(maxSize);
  return isTypeTaken(rules, type) ? null : typeNotTaken(rules);
}

export function tooLarge(maxSize: number): AppError {
  return new AppError('file_too_large', { details: { max_size: maxSize } });
}

function typeNotTaken(rules: FileFieldDefinition | null): AppError {
  return new AppError('file_type_not_allowed', { details: { types: rules?.types } });
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
function fileType(head: Uint8Array, declared: string | null): FileType | null {
  const recognised = recognise(head);
  if (declared === null) return { type: recognised ?? UNKNOWN_TYPE, recognised };
  if (declared === recognised) return { type: declared, recognised };
  if (recognised !== null && CONTAINERS.get(recognised)?.test(declared) === true) return { type: declared, recognised };
  // SVG is text: it may begin with a declaration or a comment. It is never displayed.
  if (declared === 'image/svg+xml' && recognised === null) return { type: declared, recognised };
  if (DISPLAYED.has(declared)) return null;
  return { type: recognised ?? declared, recognised };
}
