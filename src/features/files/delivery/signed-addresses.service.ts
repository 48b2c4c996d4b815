import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JobPrincipals } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { FileReading, type FoundFile } from './file-reading.service.js';
import { fileUrl, invalidField, type SignedAddress } from '../files.dto.js';

const ADDRESS_KEY = defineKeyPurpose('file-address', 'dies');

interface Claims {
  readonly file: string;
  readonly object: string;
  /** Unix time in seconds. */
  readonly until: number;
  /** Null for a guest. */
  readonly account: string | null;
  /** The URL expires with this session. */
  readonly session: string | null;
  /** The API key that created the URL, which has its scopes and expires with it. Missing in older URLs. */
  readonly key?: string | null;
  readonly isSaved: boolean;
  /** Null allows any size. Missing in older URLs. */
  readonly size?: string | null;
}

export interface AddressOptions {
  readonly expiresInSeconds: number;
  readonly isSaved: boolean;
  readonly expiresWithSession: boolean;
  readonly size: string | null;
}

export interface OpenedFile extends FoundFile {
  readonly sizeName: string | null;
  readonly isSaved: boolean;
}

/**
 * Signed URLs that need no sign-in. Each request applies the current rules to the account that created the URL. A URL is valid for the
 * current bytes only, so it expires when the file is replaced.
 */
@Injectable()
export class SignedAddresses {
  private readonly key: KeyObject;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly principals: JobPrincipals,
    private readonly reading: FileReading,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, ADDRESS_KEY);
  }

  /** @throws AppError `file_not_found`; `validation_failed` for an unknown size, or if a session is required and there is none. */
  async sign(principal: Principal, id: string, options: AddressOptions): Promise<SignedAddress> {
    const { expiresInSeconds, isSaved, expiresWithSession, size } = options;
    const { file } = await this.reading.get(principal, id, size);
    const session = expiresWithSession ? sessionOf(principal) : null;
    const account = principal.kind === 'account' ? principal.userId : null;
    const key = principal.kind === 'account' ? (principal.key?.id ?? null) : null;
    const until = Math.floor(this.clock.nowMs() / 1_000) + expiresInSeconds;
    const claims: Claims = { file: id, object: file.objectId, until, account, session, key, isSaved, size };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const url = `${fileUrl(this.config.appUrl, id, file.name)}?access=${payload}.${keyedHash(this.key, payload)}`;
    return { url, expires_at: new Date(until * 1_000).toISOString() };
  }

  /**
   * Returns the file of a signed URL. A size in the signature overrides the requested one.
   *
   * @throws AppError `file_not_found` for an invalid or expired URL, for replaced bytes, and if its account can no longer read the file.
   */
  async open(id: string, access: string, requestedSize: string | null): Promise<OpenedFile> {
    const claims = this.read(access);
    if (claims === null || claims.file !== id || claims.until * 1_000 <= this.clock.nowMs())
      throw new AppError('file_not_found');
    const sizeName = claims.size ?? requestedSize;
    const found = await this.reading.get(await this.principalOf(claims), id, sizeName);
    if (found.file.objectId !== claims.object) throw new AppError('file_not_found');
    return { ...found, sizeName, isSaved: claims.isSaved };
  }

  private read(access: string): Claims | null {
    const [payload = '', signature = '', ...more] = access.split('.');
    const [actual, expected] = [Buffer.from(signature), Buffer.from(keyedHash(this.key, payload))];
    const isSignatureValid =
      more.length === 0 && actual.length === expected.length && timingSafeEqual(actual, expected);
    return isSignatureValid ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims) : null;
  }

  private async principalOf({ account, session, key = null }: Claims): Promise<Principal> {
    if (account === null) return GUEST;
    const found = await this.principals.find({ account, session, key });
    if (found === null) throw new AppError('file_not_found');
    return found;
  }
}

function sessionOf(principal: Principal): string {
  if (principal.kind === 'account' && principal.key === undefined) return principal.sessionId;
  throw invalidField('session', 'value_invalid', 'requires a session');
}
