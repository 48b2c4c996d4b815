import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { DataSource, type EntityManager } from 'typeorm';
import { type FactorAnswer, SecondFactorMethod } from '../../../identity/auth/sign-in/second-factor-method.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { newId } from '../../../kernel/keys/random.js';
import { type AfterAddition, type FactorAdder, FactorAdditions } from '../factor-additions.service.js';
import { readRegistration } from './brought-credential.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyAssertions } from './passkey-assertions.service.js';
import { type NewPasskey, PasskeyCeremonies } from './passkey-ceremonies.service.js';
import { PasskeyChallenges } from './passkey-challenges.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { defineLimit } from '../../../kernel/limits.js';

const MOST = defineLimit(20, 'Second factors', 'passkeys of one account', 'too_many_factors');
const IS_READY = 'SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1';
const KNOWN = 'SELECT credential_id AS "credentialId", transports FROM passkeys WHERE user_id = $1 ORDER BY id';
const COUNT = 'SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1';
const INSERT = `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, aaguid, rp_id,
    verifies_user, backup_eligible, backed_up, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (credential_id) DO NOTHING RETURNING id`;

@Injectable()
export class PasskeyFactors extends SecondFactorMethod {
  readonly name = 'passkey';
  readonly isGuessable = false;
  override readonly isAddable = true;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly challenges: PasskeyChallenges,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly assertions: PasskeyAssertions,
    private readonly additions: FactorAdditions,
    private readonly clock: Clock,
  ) {
    super();
  }

  async isReady(manager: EntityManager, userId: string): Promise<boolean> {
    return (await manager.query<unknown[]>(IS_READY, [userId])).length > 0;
  }

  /** Accepts any passkey of the account and consumes the signature. */
  async prove(userId: string, { credential }: FactorAnswer, manager?: EntityManager): Promise<string | null> {
    return credential === undefined ? null : (await this.assertions.check('prove', userId, credential, manager)).proven;
  }

  /** Returns the request options for the account's passkeys. The account must already be known. */
  async requestOptions(userId: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.ceremonies.requestOptions(this.challenges.issue('prove', userId), await this.known(userId));
  }

  /**
   * @throws AppError `mfa_not_offered`, `address_unproven`, `step_up_required`, `invalid_credentials`, `rate_limited`, `too_many_factors`,
   * `mfa_token_invalid`.
   */
  async creationOptions(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    await this.additions.assertMayBegin(account, password, client);
    const known = await this.known(account.userId);
    if (known.length >= MOST) throw new AppError('too_many_factors');
    return this.ceremonies.creationOptions(account, this.challenges.issue('add', account.userId), known);
  }

  /**
   * Adds a passkey. Then the session counts as two-factor, or the pending sign-in completes.
   *
   * @throws AppError `mfa_not_offered`, `address_unproven`; `mfa_invalid` for any error in the passkey, also if it is already registered;
   * `too_many_factors`, `mfa_token_invalid`.
   */
  async add(by: FactorAdder, credential: unknown, name: string): Promise<AfterAddition> {
    const { userId } = by.account;
    // A proof is not needed again: the challenge was issued to this account after one.
    await this.additions.assertAllowed(by.account);
    const passkey = await this.read(userId, credential);
    if (passkey === null) throw new AppError('mfa_invalid');
    const factor = { type: 'passkey', proven: passkey.verifiesUser ? 'passkey' : 'security_key', name } as const;
    return this.additions.add(by, factor, (manager) => this.insert(manager, userId, name, passkey));
  }

  private async read(userId: string, credential: unknown): Promise<NewPasskey | null> {
    const brought = readRegistration(credential);
    if (brought === null) return null;
    const { response, clientData } = brought;
    if (!(await this.challenges.consume(this.dataSource.manager, 'add', userId, clientData.challenge))) return null;
    return this.ceremonies.verifyNew(response, clientData.challenge);
  }

  private async insert(manager: EntityManager, userId: string, name: string, made: NewPasskey): Promise<string> {
    const [{ count }] = await manager.query<[{ readonly count: number }]>(COUNT, [userId]);
    if (count >= MOST) throw new AppError('too_many_factors');
    const { credentialId, publicKey, signCount, transports, aaguid, rpId } = made;
    const flags = [made.verifiesUser, made.backupEligible, made.backedUp, this.clock.now()];
    const id = newId();
    const values = [id, userId, name, credentialId, publicKey, signCount, transports, aaguid, rpId, ...flags];
    if ((await manager.query<unknown[]>(INSERT, values)).length === 0) throw new AppError('mfa_invalid');
    return id;
  }

  private known(userId: string): Promise<Pick<Passkey, 'credentialId' | 'transports'>[]> {
    return this.dataSource.query(KNOWN, [userId]);
  }
}
