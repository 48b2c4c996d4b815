import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../auth/auth.public.js';
import { FreshProof } from '../step-up/fresh-proof.service.js';
import { type FactorAnswer, SecondFactorMethod } from '../second-factor-method.port.js';
import { User } from '../../users/user.entity.js';
import { lockAccount } from '../../users/users.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { newId } from '../../../kernel/keys/random.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { FactorReset } from '../resets/factor-reset.service.js';

/** Crockford base 32: no two letters look alike. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 random bits. */
const LENGTH = 16;
const GROUPS = /.{4}(?!$)/g;
const CODE = /^[0-9A-HJKMNP-TV-Z]{16}$/;

const COUNT = 10;
const IS_READY = 'SELECT 1 FROM recovery_codes WHERE user_id = $1 LIMIT 1';
/** A concurrent reset is either finished, and the credentials have changed, or it waits until the code is used. */
const LOCK_UNCHANGED = 'SELECT 1 FROM users WHERE id = $1 AND activated AND credentials_version = $2 FOR SHARE';
/** Only one of several concurrent uses gets the row. */
const USE = 'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING id';
const DELETE_ALL = 'DELETE FROM recovery_codes WHERE user_id = $1';
const INSERT = `INSERT INTO recovery_codes (id, user_id, code_hash, created_at)
  SELECT code.id, $2::uuid, code.hash, $4::timestamptz FROM unnest($1::uuid[], $3::text[]) code (id, hash)`;
const COUNT_REMAINING = 'SELECT count(*)::int AS left FROM recovery_codes WHERE user_id = $1';

@Injectable()
export class RecoveryCodes extends SecondFactorMethod {
  readonly name = 'recovery_code';
  readonly isGuessable = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly proof: FreshProof,
    private readonly ledger: FactorLedger,
    private readonly resets: FactorReset,
    private readonly clock: Clock,
  ) {
    super();
  }

  async isReady(manager: EntityManager, userId: string): Promise<boolean> {
    return (await manager.query<unknown[]>(IS_READY, [userId])).length > 0;
  }

  /** Consumes the code and notifies the owner of the number of remaining codes. */
  async prove(
    userId: string,
    { code = '', credentialsVersion }: FactorAnswer,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string | null> {
    const codeHash = recoveryCodeHash(userId, code);
    if (codeHash === null) return null;
    return manager.transaction(async (within) => {
      if (credentialsVersion !== undefined) await assertUnchanged(within, userId, credentialsVersion);
      const [used] = await within.query<[unknown[], number]>(USE, [userId, codeHash]);
      if (used.length === 0) return null;
      await this.resets.cancelAll(within, userId);
      const [{ left }] = await within.query<[{ readonly left: number }]>(COUNT_REMAINING, [userId]);
      await this.ledger.report(within, 'factor.recover', { userId, facts: { left } }, { left: String(left) });
      return this.name;
    });
  }

  /** Replaces all codes with ten new ones and returns them. They cannot be read again. */
  async renew(account: AccountPrincipal, client: ClientContext): Promise<readonly string[]> {
    await this.proof.assertRecent(account);
    const { userId } = account;
    const codes = Array.from({ length: COUNT }, newRecoveryCode);
    await this.dataSource.transaction(async (manager) => {
      await lockAccount(manager, userId);
      if (!(await manager.existsBy(User, { id: userId, secondFactor: true }))) throw new AppError('no_second_factor');
      await manager.query(DELETE_ALL, [userId]);
      const [ids, hashes] = [codes.map(() => newId()), codes.map((code) => recoveryCodeHash(userId, code))];
      await manager.query(INSERT, [ids, userId, hashes, this.clock.now()]);
      await this.ledger.report(manager, 'factor.codes', { userId, origin: client }, {});
    });
    return codes;
  }
}

async function assertUnchanged(manager: EntityManager, userId: string, credentialsVersion: number): Promise<void> {
  const found = await manager.query<unknown[]>(LOCK_UNCHANGED, [userId, credentialsVersion]);
  if (found.length === 0) throw new AppError('token_invalid');
}

/** Returns a new code, grouped with hyphens. */
export function newRecoveryCode(): string {
  const code = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return code.replace(GROUPS, '$&-');
}

/** Returns the stored hash of a code, or null if the text is not a code. Case, spaces, hyphens and look-alike letters do not matter. */
export function recoveryCodeHash(userId: string, typed: string): string | null {
  if (typed.length > 100) return null;
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const code = letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return CODE.test(code) ? createHash('sha256').update(`${userId} ${code}`).digest('hex') : null;
}
