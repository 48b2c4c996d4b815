import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LaterPrincipals } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/key-derivation.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { FileReading, type FoundFile } from './file-reading.service.js';
import { fileUrl } from '../files.dto.js';

const ADDRESS_KEY = defineKeyPurpose('file-address', 'dies');

/** Claims of an address: bytes, end, and the account in whose name. */
interface Claims {
  readonly file: string;
  readonly object: string;
  /** Seconds since 1970. */
  readonly until: number;
  /** The account that may read it; null for a guest. */
  readonly account: string | null;
  /** The session with which it ends; null for none. */
  readonly session: string | null;
  /** The API key that made it, with which it ends, and to whose scopes it is cut; null for none, missing in older ones. */
  readonly key?: string | null;
  readonly isSaved: boolean;
  /** The size that it is of; null for the file, of which any size may be asked for; missing in older ones. */
  readonly size?: string | null;
}

/** Options of a new address. */
export interface AddressOptions {
  readonly expiresInSeconds: number;
  readonly isSaved: boolean;
  /** Whether it ends with the session of who makes it. */
  readonly endsWithSession: boolean;
  /** The name of a size; null for the file itself. */
  readonly size: string | null;
}

/** An address that is good by itself, for a while. */
export interface SignedAddress {
  readonly url: string;
  readonly expires_at: string;
}

/** File to which an address leads. */
export interface OpenedFile extends FoundFile {
  readonly sizeName: string | null;
  readonly isSaved: boolean;
}

/**
 * Addresses of files that carry who may read them: nobody has to sign in, and the rules still are asked each time, of the account that
 * made the address. One names the very bytes: of a file whose bytes were replaced it is that of nothing.
 */
@Injectable()
export class SignedAddresses {
  private readonly key: KeyObject;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly principals: LaterPrincipals,
    private readonly reading: FileReading,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, ADDRESS_KEY);
  }

  /**
   * Returns an address of a file for whoever has it.
   *
   * @throws AppError `file_not_found`; `validation_failed` for a size that there is not, and for one that would end with a session where there is none.
   */
  async sign(principal: Principal, id: string, options: AddressOptions): Promise<SignedAddress> {
    const { expiresInSeconds, isSaved, endsWithSession, size } = options;
    const { file } = await this.reading.get(principal, id, size);
    const session = endsWithSession ? sessionOf(principal) : null;
    const account = principal.kind === 'account' ? principal.userId : null;
    const key = principal.kind === 'account' ? (principal.key?.id ?? null) : null;
    const until = Math.floor(this.clock.nowMs() / 1_000) + expiresInSeconds;
    const claims: Claims = { file: id, object: file.objectId, until, account, session, key, isSaved, size };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const url = `${fileUrl(this.config.appUrl, id, file.name)}?access=${payload}.${keyedHash(this.key, payload)}`;
    return { url, expires_at: new Date(until * 1_000).toISOString() };
  }

  /**
   * Returns the file of an address, and how it is handed out.
   *
   * @param asked the name of a size; one that the address is of is not changed by it.
   * @throws AppError `file_not_found` for an address that is not ours, is over, or names other bytes; and if who made it may not read them now.
   */
  async open(id: string, access: string, asked: string | null): Promise<OpenedFile> {
    const claims = this.read(access);
    if (claims === null || claims.file !== id || claims.until * 1_000 <= this.clock.nowMs()) throw gone();
    const sizeName = claims.size ?? asked;
    const found = await this.reading.get(await this.principalOf(claims), id, sizeName);
    if (found.file.objectId !== claims.object) throw gone();
    return { ...found, sizeName, isSaved: claims.isSaved };
  }

  private read(access: string): Claims | null {
    const [payload = '', signature = '', ...more] = access.split('.');
    const [given, expected] = [Buffer.from(signature), Buffer.from(keyedHash(this.key, payload))];
    const isOurs = more.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims) : null;
  }

  private async principalOf({ account, session, key = null }: Claims): Promise<Principal> {
    if (account === null) return GUEST;
    const found = await this.principals.find({ account, session, key });
    if (found === null) throw gone();
    return found;
  }
}

function sessionOf(principal: Principal): string {
  if (principal.kind === 'account' && principal.key === undefined) return principal.sessionId;
  const errors = [{ field: 'session', code: 'value_invalid', message: 'asks for a session, and there is none' }];
  throw new AppError('validation_failed', { details: { errors } });
}

function gone(): AppError {
  return new AppError('file_not_found');
}
