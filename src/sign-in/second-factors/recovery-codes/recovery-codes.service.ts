import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { FreshProof } from '../../../identity/auth/sign-in/fresh-proof.service.js';
import { type FactorAnswer, SecondFactorMethod } from '../../../identity/auth/sign-in/second-factor-method.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { newId } from '../../../kernel/keys/random.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { PlannedResets } from '../resets/planned-resets.service.js';
import { newRecoveryCode, recoveryCodeHash } from './recovery-code-text.js';

const COUNT = 10;
const IS_READY = 'SELECT 1 FROM recovery_codes WHERE user_id = $1 LIMIT 1';
/** A concurrent reset is either finished, and the credentials have changed, or it waits until the code is used. */
const LOCK_UNCHANGED = 'SELECT 1 FROM users WHERE id = $1 AND activated AND credentials_version = $2 FOR SHARE';
/** Only one of several concurrent uses gets the row. */
const USE = 'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING id';
const LEFT = 'SELECT count(*)::int AS left FROM recovery_codes WHERE user_id = $1';

@Injectable()
export class RecoveryCodes extends SecondFactorMethod {
  readonly name = 'recovery_code';
  readonly isGuessable = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly proof: FreshProof,
    private readonly ledger: FactorLedger,
    private readonly resets: PlannedResets,
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
      await this.resets.callOff(within, userId);
      const [{ left }] = await within.query<[{ readonly left: number }]>(LEFT, [userId]);
      const event = { action: 'factor.recover', userId, facts: { left }, mail: 'recovery-code-used' } as const;
      await this.ledger.tell(within, { ...event, variables: { left: String(left) } });
      return this.name;
    });
  }

  /**
   * Replaces all codes with ten new ones and returns them. They cannot be read again.
   *
   * @throws AppError `step_up_required`, `no_second_factor`.
   */
  async renew(account: AccountPrincipal, client: ClientContext): Promise<readonly string[]> {
    await this.proof.assertRecent(account);
    const { userId } = account;
    const codes = Array.from({ length: COUNT }, newRecoveryCode);
    await this.dataSource.transaction(async (manager) => {
      await this.ledger.lock(manager, userId);
      if (!(await manager.existsBy(User, { id: userId, secondFactor: true }))) throw new AppError('no_second_factor');
      await manager.delete(RecoveryCode, { userId });
      const createdAt = this.clock.now();
      const rows = codes.map((code) => ({ id: newId(), userId, codeHash: hashOf(userId, code), createdAt }));
      await manager.insert(RecoveryCode, rows);
      const event = { action: 'factor.codes', userId, origin: client, mail: 'recovery-codes-made' } as const;
      await this.ledger.tell(manager, { ...event, variables: {} });
    });
    return codes;
  }
}

async function assertUnchanged(manager: EntityManager, userId: string, credentialsVersion: number): Promise<void> {
  const found = await manager.query<unknown[]>(LOCK_UNCHANGED, [userId, credentialsVersion]);
  if (found.length === 0) throw new AppError('token_invalid');
}

function hashOf(userId: string, code: string): string {
  const hash = recoveryCodeHash(userId, code);
  if (hash === null) throw new Error('A recovery code of our own is none.');
  return hash;
}
