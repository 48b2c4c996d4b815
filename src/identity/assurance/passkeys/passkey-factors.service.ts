import { Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { DataSource, type EntityManager } from 'typeorm';
import { type FactorAnswer, SecondFactorMethod } from '../second-factor-method.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { newId } from '../../../kernel/keys/random.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { FactorReset } from '../resets/factor-reset.service.js';
import { type FactorAdder, OwnedFactors } from '../owned-factors.service.js';
import type { FactorAdded } from '../second-factors.dto.js';
import { readAssertion } from './credential-input.js';
import {
  type ChallengeUse,
  type NewPasskey,
  PasskeyCeremonies,
  type RegisteredPasskey,
  type Signed,
  userHandleOf,
} from './passkey-ceremonies.service.js';
import type { ClientContext } from '../../auth/auth.public.js';
import type { TokenSet } from '../../auth/sign-in/sign-in.service.js';
import { defineLimit } from '../../../kernel/limits.js';

interface StoredPasskey extends Pick<NewPasskey, 'credentialId' | 'publicKey' | 'backupEligible'> {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
}

interface Assertion {
  /** Null for an unknown passkey. */
  readonly userId: string | null;
  /** Value for `amr`; null if the check failed. A passkey that verifies its user counts as two factors, any other as one. */
  readonly proven: 'passkey' | 'security_key' | null;
}

const MAX_PASSKEYS = defineLimit(20, 'Second factors', 'passkeys of one account', 'too_many_factors');
const IS_READY = 'SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1';
const FIND_CREDENTIALS =
  'SELECT credential_id AS "credentialId", transports FROM passkeys WHERE user_id = $1 ORDER BY id';
const COUNT = 'SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1';
const INSERT = `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, aaguid, rp_id,
    verifies_user, backup_eligible, backed_up, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (credential_id) DO NOTHING RETURNING id`;
const NO_ASSERTION: Assertion = { userId: null, proven: null };
const FIND = `SELECT id, user_id AS "userId", name, credential_id AS "credentialId", public_key AS "publicKey",
  backup_eligible AS "backupEligible" FROM passkeys WHERE credential_id = $1`;
/** The counter must grow; authenticators without one always send 0. Only one of several concurrent signatures with a number succeeds. */
const USE = `UPDATE passkeys SET sign_count = $2, backed_up = $3, last_used_at = $4
  WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0)) RETURNING id`;

@Injectable()
export class PasskeyFactors extends SecondFactorMethod {
  readonly name = 'passkey';
  readonly isGuessable = false;
  override readonly isAddable = true;

  constructor(
    private readonly dataSource: DataSource,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly owned: OwnedFactors,
    private readonly ledger: FactorLedger,
    private readonly resets: FactorReset,
    private readonly clock: Clock,
  ) {
    super();
  }

  async isReady(manager: EntityManager, userId: string): Promise<boolean> {
    return (await manager.query<unknown[]>(IS_READY, [userId])).length > 0;
  }

  /** Accepts any passkey of the account and consumes the signature. */
  async prove(userId: string, { credential }: FactorAnswer, manager?: EntityManager): Promise<string | null> {
    return credential === undefined ? null : (await this.check('prove', userId, credential, manager)).proven;
  }

  /**
   * Verifies a signature, and consumes its challenge and its counter value.
   *
   * @param owner account that the passkey must belong to; null for a sign-in, where the passkey identifies the account.
   * @param manager of the caller's transaction, if there is one.
   */
  async check(
    use: ChallengeUse,
    owner: string | null,
    credential: unknown,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Assertion> {
    const input = readAssertion(credential);
    if (input === null) return NO_ASSERTION;
    const { response, clientData } = input;
    const { challenge } = clientData;
    if (!(await this.ceremonies.consumeChallenge(manager, use, owner ?? '', challenge))) return NO_ASSERTION;
    const [passkey] = await manager.query<StoredPasskey[]>(FIND, [response.id]);
    if (passkey === undefined) return NO_ASSERTION;
    const { userId } = passkey;
    const refused = { userId, proven: null };
    if (owner !== null && userId !== owner) return refused;
    const { userHandle } = response.response;
    if (userHandle === undefined ? owner === null : userHandle !== userHandleOf(userId)) return refused;
    const signed = await this.ceremonies.verifySignature(response, challenge, passkey);
    if (signed === null || signed.backupEligible !== passkey.backupEligible) return refused;
    if (!(await this.use(manager, passkey, signed))) return refused;
    await this.resets.cancelAll(manager, userId);
    return { userId, proven: signed.userVerified ? 'passkey' : 'security_key' };
  }

  /** Returns the request options for the account's passkeys. The account must already be known. */
  async requestOptions(userId: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.ceremonies.requestOptions('prove', userId, await this.credentialsOf(userId));
  }

  async creationOptions(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    await this.owned.assertMayStart(account, password, client);
    const registered = await this.credentialsOf(account.userId);
    if (registered.length >= MAX_PASSKEYS) throw new AppError('too_many_factors');
    return this.ceremonies.creationOptions(account, registered);
  }

  /** Then the session counts as two-factor, or the pending sign-in completes. @throws AppError `mfa_invalid` for any wrong passkey. */
  async add(by: FactorAdder, credential: unknown, name: string): Promise<FactorAdded | TokenSet> {
    const { userId } = by.account;
    // A proof is not needed again: the challenge was issued to this account after one.
    await this.owned.assertAllowed(by.account);
    const passkey = await this.ceremonies.verifyNew(this.dataSource.manager, userId, credential);
    if (passkey === null) throw new AppError('mfa_invalid');
    const factor = { type: 'passkey', proven: passkey.verifiesUser ? 'passkey' : 'security_key', name } as const;
    return this.owned.add(by, factor, (manager) => this.insert(manager, userId, name, passkey));
  }

  /** A valid signature with an already used counter value comes from a copy of the passkey. It is refused, and the owner is notified. */
  private async use(
    manager: EntityManager,
    { id, userId, name }: StoredPasskey,
    { signCount, backedUp }: Signed,
  ): Promise<boolean> {
    const values = [id, signCount, backedUp, this.clock.now()];
    const [used] = await manager.query<[unknown[], number]>(USE, values);
    if (used.length === 1) return true;
    const copy = { userId, actor: 'guest', facts: { type: 'passkey', name } };
    await manager.transaction((within) => this.ledger.report(within, 'factor.copy', copy, { factor: name }));
    return false;
  }

  private async insert(manager: EntityManager, userId: string, name: string, passkey: NewPasskey): Promise<string> {
    const [{ count }] = await manager.query<[{ readonly count: number }]>(COUNT, [userId]);
    if (count >= MAX_PASSKEYS) throw new AppError('too_many_factors');
    const { credentialId, publicKey, signCount, transports, aaguid, rpId } = passkey;
    const flags = [passkey.verifiesUser, passkey.backupEligible, passkey.backedUp, this.clock.now()];
    const id = newId();
    const values = [id, userId, name, credentialId, publicKey, signCount, transports, aaguid, rpId, ...flags];
    if ((await manager.query<unknown[]>(INSERT, values)).length === 0) throw new AppError('mfa_invalid');
    return id;
  }

  private credentialsOf(userId: string): Promise<RegisteredPasskey[]> {
    return this.dataSource.query(FIND_CREDENTIALS, [userId]);
  }
}
