import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../kernel/keys/random.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { type ClientContext, RoleDirectory } from '../auth/auth.public.js';
import { AccountCredentials } from '../auth/credentials/account-credentials.service.js';
import { SignInService, type TokenSet } from '../auth/sign-in/sign-in.service.js';
import { type AccountDataRequest, OnAccountExport } from '../lifecycle/account-data.decorators.js';
import { User } from '../users/user.entity.js';
import { USER_TOPIC } from '../users/users.public.js';
import { lockAccount, UsersService } from '../users/users.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { type PartialSignIn, MfaTokens } from './mfa-tokens/mfa-tokens.service.js';
import { FactorReset } from './resets/factor-reset.service.js';
import type { FactorAdded, ListedFactor, OwnFactorList } from './second-factors.dto.js';
import { FreshProof } from './step-up/fresh-proof.service.js';

const CREDENTIAL_KIND = { totp: 'totp', passkey: 'passkeys' } as const;

export interface NewFactor {
  readonly type: keyof typeof CREDENTIAL_KIND;
  /** The method that was proven, as named in `amr`. */
  readonly proven: string;
  readonly name: string;
}

export interface FactorAdder {
  readonly account: AccountPrincipal;
  readonly client: ClientContext;
  /** Required if the page sent a `code_challenge` at the start of its sign-in. */
  readonly codeVerifier?: string | undefined;
}

const LIST_APPS = `SELECT id, 'totp' AS type, name, created_at, last_used_at FROM totp_factors
  WHERE user_id = $1 AND expires_at IS NULL ORDER BY id`;
const LIST_PASSKEYS = `SELECT id, 'passkey' AS type, name, created_at, last_used_at, backup_eligible, backed_up, verifies_user,
    credential_id
  FROM passkeys WHERE user_id = $1 ORDER BY id`;
const COUNT_CODES = 'SELECT count(*)::int AS codes FROM recovery_codes WHERE user_id = $1';
const REMOVE_APP = `DELETE FROM totp_factors WHERE user_id = $1 AND id = $2 RETURNING name, expires_at IS NULL AS counted, 'totp' AS type`;
const REMOVE_PASSKEY = `DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name, true AS counted, 'passkey' AS type`;

interface FactorRow extends Omit<ListedFactor, 'created_at' | 'last_used_at'> {
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

interface Removed {
  readonly name: string;
  /** Whether its first code was confirmed. */
  readonly counted: boolean;
  readonly type: string;
}

/** The second factors of an account: added by signed-in users and by pending sign-ins that require enrolment, listed and removed. */
@Injectable()
export class OwnedFactors {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly roles: RoleDirectory,
    private readonly users: UsersService,
    private readonly proof: FreshProof,
    private readonly tokens: MfaTokens,
    private readonly signIns: SignInService,
    private readonly ledger: FactorLedger,
    private readonly resets: FactorReset,
    private readonly credentials: AccountCredentials,
  ) {}

  async list(userId: string): Promise<OwnFactorList> {
    return this.listWith(userId, await this.resets.dueAt(userId, 'owner'));
  }

  /** Returns the factors of another user, without the ids that identify a passkey to a browser. */
  async listOf(userId: string): Promise<OwnFactorList> {
    if (!isUuid(userId) || !(await this.dataSource.manager.existsBy(User, { id: userId })))
      throw new AppError('record_not_found');
    const list = await this.listWith(userId, await this.resets.dueAt(userId, 'administrator'));
    return { ...list, factors: list.factors.map((factor) => ({ ...factor, credential_id: undefined })) };
  }

  /**
   * Asserts that the account can have a new factor. Its address must be proven, because the first proof of an address revokes every factor.
   * Otherwise a person who registered a foreign address could keep access to the account (ADR 0018).
   */
  async assertAllowed(account: AccountPrincipal): Promise<void> {
    if (!(await this.roles.offersFactors(account))) throw new AppError('mfa_not_offered');
    const user = await this.users.findById(account.userId);
    if (user?.emailVerifiedAt == null) throw new AppError('address_unproven');
  }

  /** Also needs the current password or a step-up, unless the pending sign-in requires the factor. */
  async assertMayStart(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<void> {
    await this.assertAllowed(account);
    if (account.enrolment === undefined) await this.proof.assertForCredential(account, password, client);
  }

  /** @throws AppError `address_unproven`; `mfa_token_invalid` if the sign-in is waiting for a factor and the account already has one. */
  async lock(manager: EntityManager, { userId, enrolment }: AccountPrincipal): Promise<void> {
    await lockAccount(manager, userId);
    const user = await manager.findOneBy(User, { id: userId });
    if (user?.emailVerifiedAt == null) throw new AppError('address_unproven');
    if (enrolment !== undefined && user.secondFactor) throw new AppError('mfa_token_invalid');
  }

  /**
   * Adds a factor and notifies the owner. Then the session counts as two-factor, or the pending sign-in completes.
   *
   * @param write stores the factor in the same transaction and returns its id.
   * @returns the token set of a pending sign-in; for an app, a new MFA token.
   * @throws AppError `address_unproven`, `mfa_token_invalid`, and the errors of `write` and of the sign-in.
   */
  async add(
    by: FactorAdder,
    factor: NewFactor,
    write: (manager: EntityManager) => Promise<string>,
  ): Promise<FactorAdded | TokenSet> {
    const { account, client, codeVerifier } = by;
    const { userId, enrolment } = account;
    const { type, proven, name } = factor;
    const partialSignIn = await this.changes.transaction(async (manager, notify) => {
      await this.lock(manager, account);
      const id = await write(manager);
      await this.resets.cancelAll(manager, userId);
      await this.ledger.settle(manager, userId);
      notify(USER_TOPIC, userId);
      const waiting =
        enrolment === undefined ? null : await this.tokens.consumeEnrolment(manager, enrolment, codeVerifier);
      if (waiting === null) await this.proof.raiseTo(manager, notify, account, proven);
      const revokeLink = await this.credentials.revocationLink(manager, userId, { kind: CREDENTIAL_KIND[type], id });
      const change = { userId, origin: client, facts: { type, name } };
      await this.ledger.report(manager, 'factor.add', change, { factor: name, revokeLink });
      return waiting;
    });
    return partialSignIn === null
      ? { data: true }
      : this.finish(by, { ...partialSignIn, amr: [...partialSignIn.amr, proven] });
  }

  /** Removes a factor. Removing the last one also deletes the recovery codes and turns off the second factor of the account. */
  async remove(account: AccountPrincipal, id: string, client: ClientContext): Promise<void> {
    await this.proof.assertRecent(account);
    const { userId } = account;
    await this.changes.transaction(async (manager, notify) => {
      await lockAccount(manager, userId);
      const removed = isUuid(id) ? await removeOne(manager, userId, id) : undefined;
      if (removed === undefined) throw new AppError('factor_not_found');
      if (!removed.counted) return;
      await this.ledger.settle(manager, userId);
      notify(USER_TOPIC, userId);
      const { name, type } = removed;
      const change = { userId, origin: client, facts: { type, name } };
      await this.ledger.report(manager, 'factor.remove', change, { factor: name });
    });
  }

  @OnAccountExport('second_factors')
  async export({ userId }: AccountDataRequest): Promise<readonly ListedFactor[]> {
    return (await this.list(userId)).factors;
  }

  private async listWith(userId: string, dueAt: Date | null): Promise<OwnFactorList> {
    const { manager } = this.dataSource;
    const apps = await manager.query<FactorRow[]>(LIST_APPS, [userId]);
    const passkeys = await manager.query<FactorRow[]>(LIST_PASSKEYS, [userId]);
    const factors = [...apps, ...passkeys].map(toListedFactor);
    const [{ codes }] = await manager.query<[{ readonly codes: number }]>(COUNT_CODES, [userId]);
    const list = { factors, recovery_codes: codes };
    return dueAt === null ? list : { ...list, reset_due_at: dueAt.toISOString() };
  }

  /** A sign-in to an app continues with its carrier. Other sign-ins complete here. */
  private async finish(
    { account: { userId }, client }: FactorAdder,
    partialSignIn: PartialSignIn,
  ): Promise<FactorAdded | TokenSet> {
    if (partialSignIn.carrier !== null)
      return { data: await this.tokens.issueFor(userId, { ...partialSignIn, codeChallenge: null }) };
    const { provider, credentialsVersion, amr } = partialSignIn;
    const account = { userId, provider, client, credentialsVersion, activated: true, amr };
    return this.signIns.complete(() => account, 'mfa_token_invalid');
  }
}

async function removeOne(manager: EntityManager, userId: string, id: string): Promise<Removed | undefined> {
  const [[app]] = await manager.query<[Removed[], number]>(REMOVE_APP, [userId, id]);
  if (app !== undefined) return app;
  const [[passkey]] = await manager.query<[Removed[], number]>(REMOVE_PASSKEY, [userId, id]);
  return passkey;
}

function toListedFactor(row: FactorRow): ListedFactor {
  const { created_at: createdAt, last_used_at: lastUsedAt } = row;
  return { ...row, created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null };
}
