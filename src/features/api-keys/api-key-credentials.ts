import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialKind, type RevokedBy } from '../../identity/auth/credentials/credential-kind.port.js';
import { Clock } from '../../kernel/clock.port.js';
import { accountActor, factsOf } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';

/** API keys as credentials of an account. Caches of keys are invalidated by the change of the account, not here. */
@Injectable()
export class ApiKeyCredentials extends CredentialKind {
  readonly name = 'keys';
  protected readonly table = 'api_keys';
  protected override readonly label = 'name';
  protected override readonly detail = 'prefix';
  protected override readonly isListed = '(expires_at IS NULL OR expires_at > now())';
  override readonly isSelectable = true;

  constructor(
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected async revoked(
    manager: EntityManager,
    userId: string,
    ids: readonly string[],
    { actor = accountActor(userId), origin }: RevokedBy,
  ): Promise<void> {
    const changes = factsOf({ user: userId, reason: 'credentials' });
    const event = { action: 'key.end', actor, origin, changes, at: this.clock.now() } as const;
    await this.audit.write(manager, ...ids.map((id) => ({ ...event, resource: `key:${id}` })));
  }
}
