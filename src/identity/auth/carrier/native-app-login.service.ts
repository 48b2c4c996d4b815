import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { newId } from '../../../kernel/keys/random.js';
import { parseRedirectTarget } from '../../../kernel/addresses/redirect-target.js';
import { ExchangeCodes } from '../exchange/exchange-codes.service.js';
import type { ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { type Proof, SignInService } from '../sign-in/sign-in.service.js';
import { CliLoginSettings } from './cli-login-settings.port.js';

const CARRIER_KEY = defineKeyPurpose('cli-carrier', 'dies');

/** Request of an app, sent to `cli/initiate` or by its link to `authorize`. */
interface CliRequest {
  /** Address that receives the code, as the app sent it; checked before it is signed. */
  readonly redirectUri: string;
  /** Opaque value of the app, returned as `state`. */
  readonly correlation: string;
  /** PKCE challenge, S256. */
  readonly codeChallenge: string;
  /** Whether a link of a web app started it. The user then also stays signed in to the pages of Lintel. */
  readonly isLinked: boolean;
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
/** No valid carrier is longer. Longer input is rejected without a hash. @internal */
const MAX_LENGTH = 8_192;
const RELEASE = 'DELETE FROM used_carriers WHERE id = $1';
const USE = 'INSERT INTO used_carriers (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id';

/** Returns the id of the browser's session, if the browser has one or gets one. */
export type BrowserSessionOf = (account: ProvenAccount) => string | undefined | Promise<string | undefined>;

/**
 * Native-app logins of all sign-in methods. A carrier of a login is `base64url(JSON).base64url(HMAC-SHA-256)`, valid for ten minutes and one
 * completed sign-in. A page may read the payload to show the target. Only this service can verify it.
 */
@Injectable()
export class NativeAppLogin {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly dataSource: DataSource,
    private readonly codes: ExchangeCodes,
    private readonly signIns: SignInService,
    private readonly clock: Clock,
    @Optional() private readonly settings?: CliLoginSettings,
  ) {
    this.key = deriveKey(config.appKey, CARRIER_KEY);
  }

  /** The redirect target must already be checked. */
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

  /** Returns null for an invalid or expired carrier, and if its target is not allowed any more. Does not check whether it was used. */
  read(carrier: string): CliRequest | null {
    const payload = this.open(carrier);
    if (payload === null) return null;
    const { redirect_uri: redirectUri, correlation, code_challenge: codeChallenge, linked } = payload;
    return { redirectUri, correlation, codeChallenge, isLinked: linked === true };
  }

  /**
   * Completes a sign-in and returns the app's address with `code` and `state`. A used carrier is rejected before any secret is checked. If
   * a step fails, for example for a mistyped password, the carrier is released.
   *
   * @param sessionOf called if a link started the login. The app's tokens then belong to that session.
   * @throws AppError `carrier_invalid` if the carrier has expired or already completed a sign-in; the errors of the steps.
   */
  async complete(carrier: string, prove: Proof, sessionOf?: BrowserSessionOf): Promise<string> {
    const payload = this.open(carrier);
    if (payload === null || !(await this.use(payload))) throw new AppError('carrier_invalid');
    try {
      const account = await this.signIns.allow(prove, { carrier });
      const sessionId = payload.linked === true ? await sessionOf?.(account) : undefined;
      const code = await this.codes.issue(account, { codeChallenge: payload.code_challenge, sessionId });
      return answerAddress(payload.redirect_uri, code, payload.correlation);
    } catch (error) {
      await this.dataSource.query(RELEASE, [payload.jti]);
      throw error;
    }
  }

  /** Only one of several concurrent requests succeeds. */
  private async use({ jti, exp }: Payload): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(USE, [jti, new Date(exp * 1_000)])).length === 1;
  }

  private open(carrier: string): Payload | null {
    const [text, signature, ...rest] = carrier.length > MAX_LENGTH ? [] : carrier.split('.');
    if (this.settings?.enabled !== true || text === undefined || signature === undefined || rest.length > 0)
      return null;
    if (!sameText(signature, keyedHash(this.key, text))) return null;
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload;
    if (payload.exp * 1_000 <= this.clock.nowMs()) return null;
    // The lists may have been longer when the carrier was signed.
    const { allowedRedirectHosts, allowedRedirectUris } = this.settings;
    const target = parseRedirectTarget(payload.redirect_uri, allowedRedirectHosts, allowedRedirectUris);
    return target === null ? null : payload;
  }
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Keeps an existing query of the address (RFC 6749 §4.1.2). */
function answerAddress(redirectUri: string, code: string, state: string): string {
  const address = new URL(redirectUri);
  const answer = `code=${encodeURIComponent(code)}&state=${encodeURIComponent(state)}`;
  address.search = address.search === '' ? answer : `${address.search}&${answer}`;
  return address.href;
}
