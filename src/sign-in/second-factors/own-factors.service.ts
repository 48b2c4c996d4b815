import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { type AccountDataRequest, OnAccountExport } from '../../identity/life/account-data.decorators.js';
import { User } from '../../identity/users/user.entity.js';
import { USER_TOPIC } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { PlannedResets } from './resets/planned-resets.service.js';
import { RecoveryCode } from './recovery-codes/recovery-code.entity.js';
import { TotpFactor } from './totp/totp-factor.entity.js';

/** A second factor as shown to its owner. */
export class ListedFactor {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ enum: ['totp', 'passkey'] }) readonly type: 'totp' | 'passkey';
  @ApiProperty() readonly name: string;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) readonly last_used_at: string | null;
  @ApiPropertyOptional({ description: 'Of a passkey: whether it may be on several devices.' })
  readonly backup_eligible?: boolean;
  @ApiPropertyOptional({ description: 'Of a passkey: whether it is, as of its last use.' })
  readonly backed_up?: boolean;
  @ApiPropertyOptional({ description: 'Of a passkey: whether it verifies its user, and so is two factors.' })
  readonly verifies_user?: boolean;
  @ApiPropertyOptional({ description: 'Of a passkey: its id for the browser, in base64url.' })
  readonly credential_id?: string;
}

/** The second factors of an account. */
export class OwnFactorList {
  @ApiProperty({ type: [ListedFactor] }) readonly factors: readonly ListedFactor[];
  @ApiProperty({ description: 'Recovery codes that are left.' }) readonly recovery_codes: number;
  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'When a planned removal takes effect, the first if there are several, unless the owner uses a factor before. Administrators see only removals by administrators.',
  })
  readonly reset_due_at?: string;
}

const REMOVE_APP = `DELETE FROM totp_factors WHERE user_id = $1 AND id = $2 RETURNING name, expires_at IS NULL AS counted, 'totp' AS type`;
const REMOVE_PASSKEY = `DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name, true AS counted, 'passkey' AS type`;

interface Removed {
  readonly name: string;
  /** Whether its first code was confirmed. */
  readonly counted: boolean;
  readonly type: string;
}

@Injectable()
export class OwnFactors {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly proof: FreshProof,
    private readonly ledger: FactorLedger,
    private readonly resets: PlannedResets,
  ) {}

  async list(userId: string): Promise<OwnFactorList> {
    return this.listWith(userId, await this.resets.dueAt(userId));
  }

  /**
   * Returns the factors of another user, without the ids that identify a passkey to a browser.
   *
   * @throws AppError `record_not_found`
   */
  async listOf(userId: string): Promise<OwnFactorList> {
    if (!isUuid(userId) || !(await this.dataSource.manager.existsBy(User, { id: userId })))
      throw new AppError('record_not_found');
    const list = await this.listWith(userId, await this.resets.dueAtByAdministrator(userId));
    return { ...list, factors: list.factors.map((factor) => ({ ...factor, credential_id: undefined })) };
  }

  /**
   * Removes a factor. Removing the last one also deletes the recovery codes and turns off the second factor of the account.
   *
   * @throws AppError `step_up_required`, `factor_not_found`.
   */
  async remove(account: AccountPrincipal, id: string, client: ClientContext): Promise<void> {
    await this.proof.assertRecent(account);
    const { userId } = account;
    await this.changes.transaction(async (manager, notify) => {
      await this.ledger.lock(manager, userId);
      const removed = isUuid(id) ? await removeOne(manager, userId, id) : undefined;
      if (removed === undefined) throw new AppError('factor_not_found');
      if (!removed.counted) return;
      await this.ledger.settle(manager, userId);
      notify(USER_TOPIC, userId);
      const { name, type } = removed;
      const event = { action: 'factor.remove', userId, origin: client, facts: { type, name } } as const;
      await this.ledger.tell(manager, { ...event, mail: 'factor-removed', variables: { factor: name } });
    });
  }

  @OnAccountExport('second_factors')
  async export({ userId }: AccountDataRequest): Promise<readonly ListedFactor[]> {
    return (await this.list(userId)).factors;
  }

  private async listWith(userId: string, dueAt: Date | null): Promise<OwnFactorList> {
    const { manager } = this.dataSource;
    const rows = await manager.find(TotpFactor, { where: { userId, expiresAt: IsNull() }, order: { id: 'ASC' } });
    const passkeys = await manager.find(Passkey, { where: { userId }, order: { id: 'ASC' } });
    const factors = [...rows.map(listedApp), ...passkeys.map(listedPasskey)];
    const list = { factors, recovery_codes: await manager.countBy(RecoveryCode, { userId }) };
    return dueAt === null ? list : { ...list, reset_due_at: dueAt.toISOString() };
  }
}

async function removeOne(manager: EntityManager, userId: string, id: string): Promise<Removed | undefined> {
  const [[app]] = await manager.query<[Removed[], number]>(REMOVE_APP, [userId, id]);
  if (app !== undefined) return app;
  const [[passkey]] = await manager.query<[Removed[], number]>(REMOVE_PASSKEY, [userId, id]);
  return passkey;
}

function listedApp(app: TotpFactor): ListedFactor {
  return { id: app.id, type: 'totp', name: app.name, ...timesOf(app) };
}

function listedPasskey(passkey: Passkey): ListedFactor {
  const { id, name, backupEligible, backedUp, verifiesUser, credentialId } = passkey;
  const flags = { backup_eligible: backupEligible, backed_up: backedUp, verifies_user: verifiesUser };
  return { id, type: 'passkey', name, ...timesOf(passkey), ...flags, credential_id: credentialId };
}

function timesOf({ createdAt, lastUsedAt }: Pick<TotpFactor, 'createdAt' | 'lastUsedAt'>) {
  return { created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null };
}
