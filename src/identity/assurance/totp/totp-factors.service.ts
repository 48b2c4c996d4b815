import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { generateSecret, generateURI, verifySync } from 'otplib/functional';
import { DataSource, type EntityManager } from 'typeorm';
import { LoginThrottle } from '../../auth/login-throttle.service.js';
import { type FactorAnswer, SecondFactorMethod } from '../second-factor-method.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose } from '../../../kernel/keys/key-derivation.js';
import { KeyRing, type RingCipher } from '../../../kernel/keys/key-ring.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { StoredSecrets } from '../../../platform/keys/key-rotation.service.js';
import { type FactorAdder, OwnedFactors } from '../owned-factors.service.js';
import type { FactorAdded } from '../second-factors.dto.js';
import { FactorReset } from '../resets/factor-reset.service.js';
import type { ClientContext } from '../../auth/auth.public.js';
import type { TokenSet } from '../../auth/sign-in/sign-in.service.js';
import { defineLimit } from '../../../kernel/limits.js';

/** An authenticator app that is not confirmed yet. The secret cannot be read again. */
export class BegunTotp {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Secret in base32, for manual entry.' }) readonly secret: string;
  @ApiProperty({ description: 'The same secret as a URI for a QR code.' }) readonly otpauth_url: string;
}

const TOTP_KEY = defineKeyPurpose('totp-secret', 'survives');
/** RFC 4226 §4. */
const SECRET_BYTES = 20;
/** RFC 6238 §4. */
const PERIOD_SECONDS = 30;
const CODE = /^\d{6}$/;
/** Time to confirm a new app with its first code. */
const WAIT_MS = 600_000;
const MAX_APPS = defineLimit(10, 'Second factors', 'authenticator apps of one account', 'too_many_factors');

const COUNT = 'SELECT count(*)::int AS count FROM totp_factors WHERE user_id = $1';
const IS_READY = 'SELECT 1 FROM totp_factors WHERE user_id = $1 AND expires_at IS NULL LIMIT 1';
const LIST = `SELECT id, sealed_secret AS "sealedSecret", last_step AS "lastStep" FROM totp_factors
  WHERE user_id = $1 AND expires_at IS NULL ORDER BY id`;
const FIND_WAITING = `SELECT id, name, sealed_secret AS "sealedSecret", last_step AS "lastStep" FROM totp_factors
  WHERE user_id = $1 AND id = $2 AND expires_at > $3`;
const INSERT = `INSERT INTO totp_factors (id, user_id, name, sealed_secret, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;
/** Only one of several concurrent uses of a code succeeds, across all instances. */
const USE = `UPDATE totp_factors SET last_step = $2, last_used_at = $3
  WHERE id = $1 AND last_step < $2 AND expires_at IS NULL RETURNING id`;
/** Sets `created_at` to the confirmation. An app that was only begun before an event must not count as older than it. */
const CONFIRM = `UPDATE totp_factors SET last_step = $2, last_used_at = $3, created_at = $3, expires_at = NULL
  WHERE id = $1 AND expires_at > $3 RETURNING id`;

interface StoredTotp {
  readonly id: string;
  readonly name: string;
  readonly sealedSecret: string;
  readonly lastStep: number;
}

@Injectable()
export class TotpFactors extends SecondFactorMethod {
  readonly name = 'totp';
  readonly isGuessable = true;
  override readonly isAddable = true;
  private readonly cipher: RingCipher;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly throttle: LoginThrottle,
    private readonly owned: OwnedFactors,
    private readonly resets: FactorReset,
    private readonly clock: Clock,
    ring: KeyRing,
  ) {
    super();
    this.cipher = ring.cipher(TOTP_KEY);
  }

  async isReady(manager: EntityManager, userId: string): Promise<boolean> {
    return (await manager.query<unknown[]>(IS_READY, [userId])).length > 0;
  }

  /** Accepts a code of any app of the account and consumes its time step. */
  async prove(
    userId: string,
    { code }: FactorAnswer,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string | null> {
    if (code === undefined) return null;
    const factors = await manager.query<StoredTotp[]>(LIST, [userId]);
    for (const factor of factors) {
      const step = this.stepOf(factor, code);
      if (step === null) continue;
      const values = [factor.id, step, this.clock.now()];
      const [used] = await manager.query<[unknown[], number]>(USE, values);
      if (used.length === 0) continue;
      await this.resets.cancelAll(manager, userId);
      return this.name;
    }
    return null;
  }

  /** Creates a secret. The factor counts after its first right code. */
  async begin(
    account: AccountPrincipal,
    { name, password }: { readonly name: string; readonly password: string | null | undefined },
    client: ClientContext,
  ): Promise<BegunTotp> {
    await this.owned.assertMayStart(account, password, client);
    const { userId, email: label } = account;
    const [id, secret, now] = [newId(), generateSecret({ length: SECRET_BYTES }), this.clock.now()];
    await this.dataSource.transaction(async (manager) => {
      await this.owned.lock(manager, account);
      const [row] = await manager.query<[{ readonly count: number }]>(COUNT, [userId]);
      if (row.count >= MAX_APPS) throw new AppError('too_many_factors');
      const sealedSecret = this.cipher.seal(labelOf(id), { secret });
      const expiresAt = new Date(now.getTime() + WAIT_MS);
      await manager.query(INSERT, [id, userId, name, sealedSecret, now, expiresAt]);
    });
    return { id, secret, otpauth_url: generateURI({ issuer: this.config.appName, label, secret }) };
  }

  /** Confirms a new app with its first code. Then the session counts as two-factor, or the pending sign-in completes. */
  async confirm(by: FactorAdder, id: string, code: string): Promise<FactorAdded | TokenSet> {
    const { account, client } = by;
    await this.owned.assertAllowed(account);
    const { userId } = account;
    const now = this.clock.now();
    const values = [userId, id, now];
    const [waiting] = isUuid(id) ? await this.dataSource.query<StoredTotp[]>(FIND_WAITING, values) : [];
    if (waiting === undefined) throw new AppError('factor_not_found');
    await this.throttle.consume('second-factor-code', userId, client);
    const step = this.stepOf(waiting, code);
    if (step === null) throw new AppError('mfa_invalid');
    const factor = { type: 'totp', proven: this.name, name: waiting.name } as const;
    const after = await this.owned.add(by, factor, async (manager) => {
      const [confirmed] = await manager.query<[unknown[], number]>(CONFIRM, [id, step, now]);
      if (confirmed.length === 0) throw new AppError('factor_not_found');
      return id;
    });
    await this.throttle.succeed('second-factor-code', userId, client);
    return after;
  }

  /** Returns the time step of a code. If the encryption key is missing, no code matches. */
  private stepOf({ id, sealedSecret, lastStep }: StoredTotp, code: string): number | null {
    const opened = this.cipher.open(labelOf(id), sealedSecret) as { readonly secret: string } | null;
    return opened === null ? null : stepOf(opened.secret, code, this.clock.nowMs(), lastStep);
  }
}

function labelOf(id: string): string {
  return `totp ${id}`;
}

/** Registered for key rotation, so that a change of `APP_KEY` keeps all secrets. */
export const TOTP_SECRETS: StoredSecrets = {
  name: 'factors.totp',
  purpose: TOTP_KEY,
  table: 'totp_factors',
  sealed: 'sealed_secret',
  loss: 'Until then authenticator apps are rejected. Recovery codes and passkeys are accepted.',
  label: ({ id }) => labelOf(id),
};

/**
 * Returns the time step of a code. The current step and its two neighbours are accepted. Returns null for a wrong code, or for a step that
 * is not after `afterStep`.
 *
 * @param secret in base32.
 */
function stepOf(secret: string, code: string, nowMs: number, afterStep: number): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!CODE.test(token)) return null;
  const epoch = Math.floor(nowMs / 1_000);
  // The library throws if the bound is in the future.
  if (afterStep > Math.floor(epoch / PERIOD_SECONDS)) return null;
  const options = { secret, token, epoch, period: PERIOD_SECONDS, epochTolerance: PERIOD_SECONDS };
  const result = verifySync(afterStep > 0 ? { ...options, afterTimeStep: afterStep } : options);
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
