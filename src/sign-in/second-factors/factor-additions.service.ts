import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ClientContext, RoleDirectory } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { type HalfSignIn, type IssuedMfaToken, MfaTokens } from '../../identity/auth/sign-in/mfa-tokens.service.js';
import { SignInService, type TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { User } from '../../identity/users/user.entity.js';
import { USER_TOPIC } from '../../identity/users/users.public.js';
import { UsersService } from '../../identity/users/users.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { PlannedResets } from './resets/planned-resets.service.js';
import { RevocationLinks } from '../../identity/auth/credentials/revocation-links.service.js';

const KIND = { totp: 'totp', passkey: 'passkeys' } as const;

export interface NewFactor {
  readonly type: 'totp' | 'passkey';
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

/**
 * Result of an addition. Null for a signed-in user. Otherwise it is the token set of the pending sign-in or, for an app, a new MFA token.
 */
export type AfterAddition = TokenSet | IssuedMfaToken | null;

/** Adds second factors, for signed-in users and for pending sign-ins that require enrolment (CONTRACT §10). */
@Injectable()
export class FactorAdditions {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly roles: RoleDirectory,
    private readonly users: UsersService,
    private readonly proof: FreshProof,
    private readonly tokens: MfaTokens,
    private readonly signIns: SignInService,
    private readonly ledger: FactorLedger,
    private readonly resets: PlannedResets,
    private readonly links: RevocationLinks,
  ) {}

  /**
   * Asserts that the account can have a new factor. Its address must be proven, because the first proof of an address revokes every factor.
   * Otherwise a person who registered a foreign address could keep access to the account (ADR 0018).
   *
   * @throws AppError `mfa_not_offered`, `address_unproven`.
   */
  async assertAllowed(account: AccountPrincipal): Promise<void> {
    if (!(await this.roles.offersFactors(account))) throw new AppError('mfa_not_offered');
    const user = await this.users.findById(account.userId);
    if (user?.emailVerifiedAt == null) throw new AppError('address_unproven');
  }

  /**
   * Asserts that the user can start adding a factor. This needs the current password or a step-up, unless the pending sign-in requires the
   * factor.
   *
   * @throws AppError `mfa_not_offered`, `address_unproven`; `step_up_required`, `invalid_credentials`, `rate_limited`.
   */
  async assertMayBegin(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<void> {
    await this.assertAllowed(account);
    if (account.enrolment === undefined) await this.proof.assertForCredential(account, password, client);
  }

  /** @throws AppError `address_unproven`; `mfa_token_invalid` if the sign-in is waiting for a factor and the account already has one. */
  async lock(manager: EntityManager, { userId, enrolment }: AccountPrincipal): Promise<void> {
    await this.ledger.lock(manager, userId);
    const user = await manager.findOneBy(User, { id: userId });
    if (user?.emailVerifiedAt == null) throw new AppError('address_unproven');
    if (enrolment !== undefined && user.secondFactor) throw new AppError('mfa_token_invalid');
  }

  /**
   * Adds a factor and notifies the owner. Then the session counts as two-factor, or the pending sign-in completes.
   *
   * @param write stores the factor in the same transaction and returns its id.
   * @throws AppError `address_unproven`, `mfa_token_invalid`, and the errors of `write` and of the sign-in.
   */
  async add(
    by: FactorAdder,
    factor: NewFactor,
    write: (manager: EntityManager) => Promise<string>,
  ): Promise<AfterAddition> {
    const { account, client, codeVerifier } = by;
    const { userId, enrolment } = account;
    const { type, proven, name } = factor;
    const half = await this.changes.transaction(async (manager, notify) => {
      await this.lock(manager, account);
      const id = await write(manager);
      await this.resets.callOff(manager, userId);
      await this.ledger.settle(manager, userId);
      notify(USER_TOPIC, userId);
      const waiting =
        enrolment === undefined ? null : await this.tokens.consumeEnrolment(manager, enrolment, codeVerifier);
      if (waiting === null) await this.proof.raiseTo(manager, notify, account, proven);
      const event = {
        action: 'factor.add',
        userId,
        origin: client,
        facts: { type, name },
        mail: 'factor-added',
      } as const;
      const revokeLink = await this.links.issue(manager, userId, { kind: KIND[type], id });
      await this.ledger.tell(manager, { ...event, variables: { factor: name, revokeLink } });
      return waiting;
    });
    return half === null ? null : this.finish(by, { ...half, amr: [...half.amr, proven] });
  }

  /** A sign-in to an app continues with its carrier. Other sign-ins complete here. */
  private finish({ account: { userId }, client }: FactorAdder, half: HalfSignIn): Promise<AfterAddition> {
    if (half.carrier !== null) return this.tokens.issueFor(userId, { ...half, codeChallenge: null });
    const { provider, credentialsVersion, amr } = half;
    const account = { userId, provider, client, credentialsVersion, activated: true, amr };
    return this.signIns.complete(() => account, 'mfa_token_invalid');
  }
}
