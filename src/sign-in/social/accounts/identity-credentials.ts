import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialKind, type RevokedBy } from '../../../identity/auth/credentials/credential-kind.port.js';
import { Clock } from '../../../kernel/clock.port.js';
import { accountActor, defineAuditActions, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';

const ACTIONS = defineAuditActions('Identities', {
  'identity.link': 'A provider opens the account from then on.',
  'identity.unlink': 'A provider, or every one, does not open the account any more.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

@Injectable()
export class IdentityCredentials extends CredentialKind {
  readonly name = 'identities';
  protected readonly table = 'identities';
  protected override readonly label = 'provider';
  protected override readonly detail = 'email';
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
    const event = { action: 'identity.unlink', actor, resource: `user:${userId}`, origin } as const;
    await this.audit.write(manager, { ...event, changes: factsOf({ ended: ids.length }), at: this.clock.now() });
  }
}
