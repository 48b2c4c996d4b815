import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialKind, type RevokedBy } from '../auth/credentials/credential-kind.port.js';
import { FactorLedger } from './factor-ledger.service.js';

@Injectable()
abstract class FactorCredentials extends CredentialKind {
  protected override readonly label: string = 'name';
  override readonly isSelectable: boolean = true;
  override readonly isSecondFactor = true;
  protected abstract readonly type: string;

  constructor(private readonly ledger: FactorLedger) {
    super();
  }

  protected async revoked(
    manager: EntityManager,
    userId: string,
    ids: readonly string[],
    by: RevokedBy,
  ): Promise<void> {
    await this.ledger.settle(manager, userId);
    const facts = { type: this.type, ended: ids.length, reason: 'credentials' };
    await this.ledger.record(manager, 'factor.remove', { userId, ...by, facts });
  }
}

@Injectable()
export class PasskeyCredentials extends FactorCredentials {
  readonly name = 'passkeys';
  protected readonly type = 'passkey';
  protected readonly table = 'passkeys';
}

@Injectable()
export class TotpCredentials extends FactorCredentials {
  readonly name = 'totp';
  protected readonly type = 'totp';
  protected readonly table = 'totp_factors';
  protected override readonly isListed = 'expires_at IS NULL';
}

/** Remembered browsers. */
@Injectable()
export class DeviceCredentials extends CredentialKind {
  readonly name = 'devices';
  protected readonly table = 'remembered_devices';
  protected override readonly isListed = 'false';
  override readonly isRevokedWithSessions = true;

  protected async revoked(): Promise<void> {
    // No audit event: the revocation of the sessions is logged.
  }
}

/** Recovery codes are also revoked with the last factor. */
@Injectable()
export class RecoveryCodeCredentials extends FactorCredentials {
  readonly name = 'recovery_codes';
  protected readonly type = 'recovery_code';
  protected readonly table = 'recovery_codes';
  protected override readonly label = 'NULL';
  override readonly isSelectable = false;
}
