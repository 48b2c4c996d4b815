import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { parse } from 'content-disposition';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { bodyParts } from '../../../platform/http/http.public.js';
import { invalidField } from '../files.dto.js';
import { declaredType, type UploadSource } from './checked-bytes.js';
import type { Sender } from './file-publishing.service.js';

export interface UploadRequest extends Sender {
  readonly headers: IncomingHttpHeaders;
  /** A stream, if the route accepts streams. */
  readonly body: Readable;
}

/** Limits of a form. A second file and every part beyond these limits are refused, see {@link refuseUnknownParts}. */
const LIMITS = {
  files: 2,
  parts: 10,
  fields: 9,
  fieldNameSize: 100,
  fieldSize: 1_024,
  headerPairs: 20,
  headerSize: 8_192,
};
export const HEX_SHA256 = /^[0-9a-f]{64}$/i;
/** SHA-256 among the digests of RFC 9530, in base64. */
const SHA256_DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/;
const DEFAULT_FILE_NAME = 'file';
const MAX_NAME_BYTES = defineLimit(255, 'Files', 'bytes of a file name; a longer name is shortened', null);
/** Control characters, line separators, and invisible or direction-changing characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SEPARATORS = /[/\\:*?"<>|]/g;

export function uploadRequestOf(context: ExecutionContext): UploadRequest {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const { user = GUEST, raw, body } = request;
  return { principal: user, origin: originOf(request), headers: raw.headers, body: body as Readable };
}

export const SentUpload = createParamDecorator((_data: unknown, context: ExecutionContext) => uploadRequestOf(context));

/**
 * Returns the file of a request: the whole body, or the part `file` of a form.
 *
 * @throws AppError `validation_failed` for a form without a file, with other parts or with an invalid checksum; `body_malformed` for an
 * invalid form.
 */
export async function uploadSource(body: Readable, headers: IncomingHttpHeaders): Promise<UploadSource> {
  const type = headers['content-type'];
  if (/^\s*multipart\/form-data\s*(;|$)/i.test(type ?? '')) return formSource(body, headers);
  return {
    name: fileName(dispositionName(headers['content-disposition'])),
    declared: declaredType(type),
    size: headers['content-length'] === undefined ? null : Number(headers['content-length']),
    sha256: digestOf(headers['content-digest']),
    bytes: bodyParts(body),
  };
}

/** @throws AppError `validation_failed` for a header without a SHA-256, because the sender would rely on an ignored digest. */
function digestOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const [, base64] = SHA256_DIGEST.exec(String(header)) ?? [];
  if (base64 === undefined)
    throw invalidField('Content-Digest', 'digest_invalid', 'has no sha-256 in the form of RFC 9530');
  return Buffer.from(base64, 'base64').toString('hex');
}

function formSource(body: Readable, headers: IncomingHttpHeaders): Promise<UploadSource> {
  const form = openForm(headers);
  const fields = new Map<string, string>();
  const arrived = waitForForm(body, form);
  return new Promise((resolve, reject) => {
    arrived.then(() => reject(invalidField('file', 'required', 'is missing')), reject);
    form.on('field', (name, value) => void fields.set(name, value));
    form.once('file', (field, bytes, name, _encoding, type) => {
      // If the form breaks off, the file stream would wait forever.
      arrived.catch((error: Error) => bytes.destroy(error));
      if (field !== 'file') return;
      try {
        const sha256 = checksumOf(fields.get('sha256'));
        resolve({
          name: fileName(name),
          declared: declaredType(type),
          size: null,
          sha256,
          bytes: bodyParts(bytes),
          arrived: () => arrived,
        });
      } catch (error) {
        bytes.resume();
        reject(error as Error);
      }
    });
    body.pipe(form);
  });
}

/**
 * Resolves when a form has arrived. The body is never destroyed, because its connection needs a response. The rest of a refused form is not
 * parsed.
 */
function waitForForm(body: Readable, form: BusboyInstance): Promise<void> {
  return new Promise((done, failed) => {
    const fail = (cause?: Error): void => failed(new AppError('upload_incomplete', { cause }));
    refuseUnknownParts(form, (refusal) => {
      body.unpipe(form);
      failed(refusal);
    });
    form.once('finish', done);
    form.on('error', (error) => fail(error as Error));
    body.once('error', fail);
    body.once('close', () => body.readableEnded || fail());
  });
}

/** Refuses every part except one file and the fields before it. The parser silently drops parts beyond its limits. */
function refuseUnknownParts(form: BusboyInstance, refuse: (refusal: AppError) => void): void {
  const seen = new Set<string>();
  const check = (name: string, expected: string): void => {
    const field = name.slice(0, LIMITS.fieldNameSize);
    if (name !== expected) refuse(invalidField(field, 'unknown_field', 'is not a field of this form'));
    else if (seen.has(name)) refuse(invalidField(field, 'repeated_field', 'is sent more than once'));
    else if (seen.has('file')) refuse(invalidField(field, 'order_invalid', 'must come before the file'));
    seen.add(name);
  };
  form.on('field', (name) => check(name, 'sha256'));
  form.on('file', (name, bytes) => {
    bytes.on('error', () => undefined);
    check(name, 'file');
  });
  const refuseMany = (): void => refuse(invalidField('form', 'too_many', `has more than ${LIMITS.parts} parts`));
  for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) form.on(limit, refuseMany);
}

function openForm(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    throw new AppError('body_malformed', { cause: error });
  }
}

/** @throws AppError `validation_failed`. */
export function checksumOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (!HEX_SHA256.test(header)) throw invalidField('sha256', 'digest_invalid', 'must be a SHA-256 in hex');
  return header.toLowerCase();
}

/** Returns the last part of a declared name as one line of at most 255 bytes, without separators and invisible characters. */
export function fileName(requested: string | undefined): string {
  const last = (requested ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.normalize('NFC').replace(UNSEEN, '').replace(SEPARATORS, '_').trim();
  return /^\.*$/.test(plain) ? DEFAULT_FILE_NAME : shortened(plain);
}

function dispositionName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return parse(header).parameters['filename'];
  } catch {
    return undefined;
  }
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  let shortened = '';
  for (const letter of name) {
    if (Buffer.byteLength(shortened + letter + ending) > MAX_NAME_BYTES) break;
    shortened += letter;
  }
  return shortened + ending;
}
