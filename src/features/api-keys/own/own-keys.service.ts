import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { FreshProof } from '../../../identity/assurance/step-up/fresh-proof.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { ApiKeys, type KeyOwner } from '../api-keys.service.js';
import type { IssuedKey, RotateDto, ServiceKeyDto } from '../api-keys.dto.js';
import { KeyScopes } from '../scopes/key-scopes.service.js';

const IS_LIVING = 'SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND expires_at > $3';
const DEFAULT_OVERLAP_HOURS = 24;

/** Locks the account that gets a key, in the transaction of its creation. Throws unless the caller may create it. */
export type KeyAdmission = (manager: EntityManager) => Promise<KeyOwner>;

/** Creates API keys for the caller or, with an admission, for another account. Both require a fresh proof of the caller. */
@Injectable()
export class OwnKeys {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly keys: ApiKeys,
    private readonly scopes: KeyScopes,
    private readonly proof: FreshProof,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `validation_failed`, `too_many_keys`, and the errors of a fresh proof. */
  async create(
    account: AccountPrincipal,
    body: ServiceKeyDto,
    client: ClientContext,
    admit = this.admission(account, client),
  ): Promise<IssuedKey> {
    const request = this.scopes.read(body);
    await this.proof.assertForCredential(account, body.current_password, client);
    return this.changes.transaction(async (manager) => this.keys.create(manager, await admit(manager), request));
  }

  /** @throws AppError `key_not_found`, `key_rotated`, and the errors of {@link create}. */
  async rotate(
    account: AccountPrincipal,
    id: string,
    body: RotateDto,
    client: ClientContext,
    admit = this.admission(account, client),
  ): Promise<IssuedKey> {
    await this.proof.assertForCredential(account, body.current_password, client);
    const rotated = { id, overlapHours: body.overlap_hours ?? DEFAULT_OVERLAP_HOURS };
    return this.changes.transaction(async (manager, notify) =>
      this.keys.rotate(manager, notify, await admit(manager), rotated),
    );
  }

  /** Checks the session. A concurrent end of the session or revocation of keys is serialised with it. */
  private admission({ userId, sessionId }: AccountPrincipal, origin: ClientContext): KeyAdmission {
    return async (manager) => {
      await this.keys.lockOwner(manager, userId);
      const living = await manager.query<unknown[]>(IS_LIVING, [sessionId, userId, this.clock.now()]);
      if (living.length === 0) throw new AppError('token_invalid');
      return { userId, kind: 'pat', origin };
    };
  }
}
