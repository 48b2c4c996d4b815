import { mailAccount } from '../../../identity/users/users.public.js';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LoginThrottle } from '../../../identity/auth/login-throttle.service.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import type { AccountCredential, CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';
import { FactorReset } from '../../../identity/assurance/resets/factor-reset.service.js';
import {
  type PresentedFactor,
  type FactorCheck,
  FactorProofs,
} from '../../../identity/assurance/factor-proofs.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { PasswordHasher } from '../../../identity/users/passwords/password-hasher.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { lockAccount } from '../../../identity/users/users.service.js';
import { EmailChangeService } from '../email-change/email-change.service.js';
import { MailProofService } from '../verification/mail-proof.service.js';
import { isRecoverable } from '../verification/verification-mailer.service.js';
import type { RecoverySelection } from '../verification/recovery-selection.js';
import type { MailProof, CheckedProof } from '../verification/verification.dto.js';

/** Maps a second-factor method to the kind of credential that it proves. The password is missing, because recovery replaces it. */
const KIND_OF_METHOD: ReadonlyMap<string, string | null> = new Map([
  ['totp', 'totp'],
  ['passkey', 'passkeys'],
  ['recovery_code', null],
]);

export interface RecoveryReset {
  readonly password: string;
  readonly selection: RecoverySelection;
  /** A second factor. With it, older second factors are revoked immediately. */
  readonly factor: PresentedFactor | null;
}

interface Recovery {
  readonly userId: string;
  readonly proof: CheckedProof;
  readonly reset: RecoveryReset;
  readonly client: ClientContext;
}

/** Sets a new password for a user who forgot it and can read the account's mailbox. */
@Injectable()
export class RecoveryService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly proofs: MailProofService,
    private readonly addresses: AddressProofs,
    private readonly accounts: AccountService,
    private readonly credentials: AccountCredentials,
    private readonly emailChanges: EmailChangeService,
    private readonly factors: FactorProofs,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly factorResets: FactorReset,
  ) {}

  /** Does not consume the proof. */
  async check(proof: MailProof, client: ClientContext): Promise<boolean> {
    return typeof (await this.proofs.check('recovery', proof, client)) !== 'string';
  }

  /**
   * Returns the credentials that recovery can revoke, oldest first. Does not consume the proof.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async list(proof: CheckedProof): Promise<readonly AccountCredential[]> {
    const { userId } = await this.proofs.assertProven('recovery', proof);
    return this.credentials.listSelectable(userId);
  }

  /**
   * Sets the new password, revokes every session and the selected credentials, and notifies the owner. If this proves the address for the
   * first time, every credential is revoked.
   *
   * @returns when the selected older second factors are revoked, if no factor was proven; null if none are pending.
   * @throws AppError `token_invalid`, `token_expired` (400); `mfa_invalid`, `rate_limited` for the proof of a factor.
   */
  async reset(proof: CheckedProof, reset: RecoveryReset, client: ClientContext): Promise<Date | null> {
    // Check the proof first, so that only a valid one costs a hash.
    const { userId } = await this.proofs.assertProven('recovery', proof);
    const { factor, selection } = reset;
    if (factor !== null) assertUsable(factor, selection);
    const recovery = { userId, proof, reset, client };
    const done =
      factor === null
        ? await this.carryOut(recovery, null)
        : await this.factors.proveWith(userId, factor, client, 'local', (check) => this.carryOut(recovery, check));
    // Failed attempts at the old password do not count against the new one.
    await this.throttle.resetPasswordFailures(userId);
    return done?.dueAt ?? null;
  }

  /** Runs the reset in one transaction. Returns null and changes nothing if the factor is wrong. */
  private async carryOut(
    recovery: Recovery,
    checkFactor: FactorCheck | null,
  ): Promise<{ readonly dueAt: Date | null } | null> {
    const { proof, reset, client } = recovery;
    // Hashing is slow, so it runs before the transaction takes a connection.
    const passwordHash = await this.hasher.hash(reset.password);
    return this.changes.transaction(async (manager, notify) => {
      if (checkFactor !== null && !(await this.isFactorProven(manager, recovery, checkFactor))) return null;
      const user = await this.consume(manager, notify, proof);
      await this.accounts.changePassword(manager, user.id, passwordHash, 'recovery', client);
      await this.emailChanges.trustPassword(manager, user, passwordHash);
      const dueAt = await this.revoke(manager, notify, recovery);
      await mailAccount(this.mailer, manager, user, { template: 'password-changed', variables: {} });
      return { dueAt };
    });
  }

  /** Checks the factor before the token is consumed. The lock makes a request that lost the race fail before it uses up the factor. */
  private async isFactorProven(
    manager: EntityManager,
    { userId, proof }: Recovery,
    checkFactor: FactorCheck,
  ): Promise<boolean> {
    await lockAccount(manager, userId);
    await this.proofs.assertProven('recovery', proof, manager);
    return (await checkFactor(manager)) !== null;
  }

  /** Consumes the proof and locks the account. A mail from before a deactivation or an address change is not accepted. */
  private async consume(manager: EntityManager, notify: Notify, proof: CheckedProof): Promise<User> {
    const { userId: id, data } = await this.proofs.consume(manager, 'recovery', proof);
    const user = await manager.findOneByOrFail(User, { id });
    // The password counts as kept, because the new one replaces it.
    const address = { userId: id, emailKey: data.email, retained: { password: true } } as const;
    const proven = isRecoverable(user) ? await this.addresses.accept(manager, notify, address) : null;
    if (proven === null) throw AppError.mailedToken('token_invalid');
    return user;
  }

  private async revoke(
    manager: EntityManager,
    notify: Notify,
    { userId, reset, client }: Recovery,
  ): Promise<Date | null> {
    const { selection, factor } = reset;
    const { recoveryWindowSeconds, recoveryDelaySeconds: delaySeconds } = this.config.auth;
    const windowStart = new Date(this.clock.nowMs() - recoveryWindowSeconds * 1_000);
    const isImmediate = factor !== null || delaySeconds === 0;
    const since = (kind: CredentialKind): Date | null | false => {
      if (!selection.has(kind)) return false;
      return kind.isSecondFactor && !isImmediate ? selection.startingAt(windowStart) : selection.since;
    };
    const range = { since, retained: { password: true }, keepsUndoLinks: true, origin: client } as const;
    await this.credentials.revoke(manager, notify, userId, range);
    if (selection.kinds === null) await this.credentials.notifyHooks(manager, userId, selection.since);
    if (isImmediate) return null;
    const old = await this.olderFactors(manager, userId, selection, windowStart);
    if (old.length === 0) return null;
    const waiting = { userId, kinds: [...new Set(old.map(({ kind }) => kind))], since: selection.since, delaySeconds };
    return this.factorResets.plan(manager, waiting, client);
  }

  private async olderFactors(
    manager: EntityManager,
    userId: string,
    selection: RecoverySelection,
    windowStart: Date,
  ): Promise<readonly AccountCredential[]> {
    const all = await this.credentials.list(userId, manager);
    return all.filter(({ kind: name, createdAt }) => {
      const kind = this.credentials.find(name);
      const isSelected = kind !== null && kind.isSecondFactor && selection.has(kind);
      return isSelected && createdAt < windowStart && (selection.since === null || createdAt >= selection.since);
    });
  }
}

/** Asserts that the factor is a recovery code, or a factor that the reset does not revoke. */
function assertUsable({ method }: PresentedFactor, selection: RecoverySelection): void {
  const kind = KIND_OF_METHOD.get(method);
  if (kind === undefined || (kind !== null && selection.hasAll(kind)))
    throw AppError.validation([
      { field: 'method', code: 'value_invalid', message: 'must be recovery_code, or a factor that is not revoked' },
    ]);
}
