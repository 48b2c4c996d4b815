import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { PlannedResets } from '../resets/planned-resets.service.js';
import { readAssertion } from './brought-credential.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyCeremonies, type Signed, userHandleOf } from './passkey-ceremonies.service.js';
import { type ChallengeUse, PasskeyChallenges } from './passkey-challenges.service.js';

type KeptPasskey = Pick<Passkey, 'id' | 'userId' | 'name' | 'credentialId' | 'publicKey' | 'backupEligible'>;

/** Value for `amr`. A passkey that verifies its user counts as two factors, any other as one. */
export type PasskeyProof = 'passkey' | 'security_key';

export interface Assertion {
  /** Null for an unknown passkey. */
  readonly userId: string | null;
  /** Null if the check failed. */
  readonly proven: PasskeyProof | null;
}

const NOBODY: Assertion = { userId: null, proven: null };
const FIND = `SELECT id, user_id AS "userId", name, credential_id AS "credentialId", public_key AS "publicKey",
  backup_eligible AS "backupEligible" FROM passkeys WHERE credential_id = $1`;
/**
 * The counter must grow; authenticators without a counter always send 0. Only one of several concurrent signatures with the same number
 * succeeds.
 */
const USE = `UPDATE passkeys SET sign_count = $2, backed_up = $3, last_used_at = $4
  WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0)) RETURNING id`;

@Injectable()
export class PasskeyAssertions {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly challenges: PasskeyChallenges,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly ledger: FactorLedger,
    private readonly resets: PlannedResets,
    private readonly clock: Clock,
  ) {}

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
    const brought = readAssertion(credential);
    if (brought === null) return NOBODY;
    const { response, clientData } = brought;
    if (!(await this.challenges.consume(manager, use, owner ?? '', clientData.challenge))) return NOBODY;
    const [passkey] = await manager.query<KeptPasskey[]>(FIND, [response.id]);
    if (passkey === undefined) return NOBODY;
    const { userId } = passkey;
    const refused = { userId, proven: null };
    if (owner !== null && userId !== owner) return refused;
    const { userHandle } = response.response;
    if (userHandle === undefined ? owner === null : userHandle !== userHandleOf(userId)) return refused;
    const signed = await this.ceremonies.verifySignature(response, clientData.challenge, passkey);
    if (signed === null || signed.backupEligible !== passkey.backupEligible) return refused;
    if (!(await this.use(manager, passkey, signed))) return refused;
    await this.resets.callOff(manager, userId);
    return { userId, proven: signed.userVerified ? 'passkey' : 'security_key' };
  }

  /**
   * Records the use of a passkey. A valid signature with an already used counter value comes from a copy of the passkey. It is refused, and
   * the owner is notified.
   */
  private async use(
    manager: EntityManager,
    { id, userId, name }: KeptPasskey,
    { signCount, backedUp }: Signed,
  ): Promise<boolean> {
    const values = [id, signCount, backedUp, this.clock.now()];
    const [used] = await manager.query<[unknown[], number]>(USE, values);
    if (used.length === 1) return true;
    await manager.transaction(async (within) => {
      const event = {
        action: 'factor.copy',
        userId,
        facts: { type: 'passkey', name },
        mail: 'passkey-copied',
      } as const;
      await this.ledger.tell(within, { ...event, actor: 'guest', variables: { factor: name } });
    });
    return false;
  }
}
