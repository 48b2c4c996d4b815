import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { newId } from '../../../kernel/keys/random.js';
import { parseRedirectTarget } from '../../../kernel/addresses/redirect-target.js';
import { CliLoginSettings } from './cli-login-settings.port.js';

const CARRIER_KEY = defineKeyPurpose('cli-carrier', 'dies');

/** Request of an app at `cli/initiate`, or by its link at `authorize`. */
export interface CliRequest {
  /** Address to which the code is to go, as the app wrote it; checked before it is signed. */
  readonly redirectUri: string;
  /** The app's own opaque value, answered as `state`. */
  readonly correlation: string;
  /** PKCE challenge, S256. */
  readonly codeChallenge: string;
  /** Whether a link of a web app began it: the person stays signed in on our pages, too. */
  readonly isLinked: boolean;
}

/** Content of a good carrier. */
export interface CliTarget extends CliRequest {
  /** The carrier that said it. */
  readonly carrier: string;
}

interface Payload {
  readonly jti: string;
  readonly redirect_uri: string;
  readonly correlation: string;
  readonly code_challenge: string;
  readonly linked?: true;
  /** Seconds since the epoch, with a fraction (RFC 7519 "NumericDate"). */
  readonly exp: number;
}

const LIFETIME_SECONDS = 600;
/** More than the longest request makes; what is longer is not worth a hash. @internal */
const MAX_LENGTH = 8_192;
const RELEASE = 'DELETE FROM used_carriers WHERE id = $1';
const USE = 'INSERT INTO used_carriers (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id';

/**
 * Carriers of native-app logins (specification, "CLI login carrier"): `base64url(JSON).base64url(HMAC-SHA-256)`, good for
 * ten minutes and one completed sign-in. A page may read the payload to name the target; only this service believes it.
 */
@Injectable()
export class CliCarrierService {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Optional() private readonly settings?: CliLoginSettings,
  ) {
    this.key = deriveKey(config.appKey, CARRIER_KEY);
  }

  /** Makes the carrier of a request whose redirect target was found allowed. */
  sign(request: CliRequest): string {
    const payload: Payload = {
      jti: newId(),
      redirect_uri: request.redirectUri,
      correlation: request.correlation,
      code_challenge: request.codeChallenge,
      ...(request.isLinked && { linked: true as const }),
      exp: this.clock.nowMs() / 1_000 + LIFETIME_SECONDS,
    };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${text}.${keyedHash(this.key, text)}`;
  }

  /**
   * Returns what a carrier says; null if it is not ours, has expired, its target is not allowed any more, or native-app login is off.
   * Whether it was used is not looked at.
   */
  read(carrier: string): CliTarget | null {
    const payload = this.open(carrier);
    return payload === null ? null : targetOf(carrier, payload);
  }

  /** Uses a carrier up, by one statement: of many at once one wins. Null for everybody else, and where `read` says null. */
  async consume(carrier: string): Promise<CliTarget | null> {
    const payload = this.open(carrier);
    if (payload === null) return null;
    const rows = await this.dataSource.query<unknown[]>(USE, [payload.jti, new Date(payload.exp * 1_000)]);
    return rows.length === 1 ? targetOf(carrier, payload) : null;
  }

  /** Gives back a carrier whose sign-in was refused. Call it only after {@link consume} of the same request. */
  async release(carrier: string): Promise<void> {
    const payload = this.open(carrier);
    if (payload !== null) await this.dataSource.query(RELEASE, [payload.jti]);
  }

  private open(carrier: string): Payload | null {
    const [text, signature, ...rest] = carrier.length > MAX_LENGTH ? [] : carrier.split('.');
    if (this.settings?.enabled !== true || text === undefined || signature === undefined || rest.length > 0)
      return null;
    if (!sameText(signature, keyedHash(this.key, text))) return null;
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload;
    if (payload.exp * 1_000 <= this.clock.nowMs()) return null;
    // The lists may be shorter than it was when this was signed (specification, "Redirect target rules").
    const { allowedRedirectHosts, allowedRedirectUris } = this.settings;
    const target = parseRedirectTarget(payload.redirect_uri, allowedRedirectHosts, allowedRedirectUris);
    return target === null ? null : payload;
  }
}

function targetOf(carrier: string, payload: Payload): CliTarget {
  const { redirect_uri: redirectUri, correlation, code_challenge: codeChallenge, linked } = payload;
  return { carrier, redirectUri, correlation, codeChallenge, isLinked: linked === true };
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
