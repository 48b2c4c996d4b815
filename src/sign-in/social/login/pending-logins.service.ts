import { Inject, Injectable } from '@nestjs/common';
import { jwtVerify, SignJWT } from 'jose';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { readDriverFault } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { LANGUAGES, pickLanguage } from '../../../kernel/text/language.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import type { LoginIntent, OpenedLogin, ResumedLogin } from '../providers/provider.types.js';
import { STATE_LIFETIME_SECONDS } from './state-cookie.js';

const STATE_KEY = defineKeyPurpose('oauth-state', 'dies');

interface Row {
  readonly nonce: string;
  readonly carrier: string | null;
  readonly code_challenge: string | null;
  readonly link_session_id: string | null;
  readonly is_step_up: boolean;
}

const SESSION_GONE = 'pending_logins_session_fkey';
const HEADER = { alg: 'HS256', typ: 'oauth-state+jwt' } as const;
const OPEN = `INSERT INTO pending_logins
  (id, provider, binding_hash, nonce, carrier, code_challenge, link_session_id, is_step_up, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
/** Deletes the row when the browser returns, so each login completes at most once. */
const CONSUME = `DELETE FROM pending_logins WHERE id = $1 AND provider = $2 AND binding_hash = $3 AND expires_at > $4
  RETURNING nonce, carrier, code_challenge, link_session_id, is_step_up`;

/**
 * Logins in progress at a provider. The `state` parameter is signed and contains only the login id, the provider and the language of the
 * pages. The other data is stored here. One statement deletes and returns it, for the browser that started the login.
 */
@Injectable()
export class PendingLogins {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, STATE_KEY);
  }

  /** Prepares a login without storing it. */
  open(provider: string, binding: string, intent: LoginIntent): OpenedLogin {
    const id = newId();
    return { id, provider, binding, intent, codeVerifier: this.codeVerifier(id, binding) };
  }

  /**
   * Stores a login for ten minutes and returns its `state`.
   *
   * @param nonce that the ID token must contain; empty if there will be none.
   * @throws AppError `token_invalid` if the session that links has ended.
   */
  async create({ id, provider, binding, intent }: OpenedLogin, nonce: string): Promise<string> {
    const { language, carrier, codeChallenge, linkSessionId, isStepUp } = intent;
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + STATE_LIFETIME_SECONDS * 1_000);
    const stored = [carrier, codeChallenge, linkSessionId, isStepUp, createdAt, expiresAt];
    const parameters = [id, provider, this.bindingHash(binding), nonce, ...stored];
    await this.dataSource.query(OPEN, parameters).catch((error: unknown) => {
      throw readDriverFault(error)?.constraint === SESSION_GONE ? AppError.mailedToken('token_invalid') : error;
    });
    return new SignJWT(language === null ? {} : { language })
      .setProtectedHeader(HEADER)
      .setJti(id)
      .setAudience(provider)
      .setExpirationTime(expiresAt)
      .sign(this.key);
  }

  /**
   * Consumes a login when the browser returns. It checks the signature, the provider, the expiry and the browser.
   *
   * @param binding the value of the browser's state cookie, or null.
   * @throws AppError `state_invalid` for every failure.
   */
  async consume(provider: string, state: string, binding: string | null): Promise<ResumedLogin> {
    const read = await this.read(provider, state);
    if (read === null || binding === null) throw new AppError('state_invalid');
    const { id, language } = read;
    const parameters = [id, provider, this.bindingHash(binding), this.clock.now()];
    const [rows] = await this.dataSource.query<[Row[], number]>(CONSUME, parameters);
    const row = rows[0];
    if (row === undefined) throw new AppError('state_invalid');
    const { carrier, code_challenge: codeChallenge, link_session_id: linkSessionId } = row;
    const intent = { carrier, codeChallenge, linkSessionId, isStepUp: row.is_step_up, language };
    return { codeVerifier: this.codeVerifier(id, binding), nonce: row.nonce, intent };
  }

  private async read(
    provider: string,
    state: string,
  ): Promise<(Pick<OpenedLogin, 'id'> & Pick<LoginIntent, 'language'>) | null> {
    try {
      const { payload } = await jwtVerify(state, this.key, {
        algorithms: [HEADER.alg],
        typ: HEADER.typ,
        audience: provider,
        requiredClaims: ['jti', 'exp'],
        currentDate: this.clock.now(),
      });
      const { jti: id, language } = payload;
      if (!isUuid(id)) return null;
      return { id, language: typeof language === 'string' ? pickLanguage([language], LANGUAGES) : null };
    } catch {
      return null;
    }
  }

  bindingHash(binding: string): string {
    return keyedHash(this.key, `binding\0${binding}`);
  }

  /** Returns the PKCE verifier, 256 bits. It is derived from a server key and the browser's cookie, and is not stored. */
  private codeVerifier(id: string, binding: string): string {
    return keyedHash(this.key, `code-verifier\0${id}\0${binding}`);
  }
}
