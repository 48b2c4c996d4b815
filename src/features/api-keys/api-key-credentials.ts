import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { FastifyRequest } from 'fastify';
import { CredentialKind, type RevokedBy } from '../../identity/auth/credentials/credential-kind.port.js';
import { accountActor } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { Authenticator, type BearerOfToken } from '../../identity/auth/access/authenticator.port.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { ApiKeyDirectory } from './api-key-directory.service.js';
import { API_KEY_MARK } from '../../../packages/guards/src/guards.js';

const BEARER = /^Bearer +(.*)$/i;
/** The usual spelling, checked first. */
const USUAL = `Bearer ${API_KEY_MARK}`;

/** An API key as the bearer token of a request (RFC 6750 §2.1). Keys in cookies or URLs are not accepted. */
@Injectable()
export class ApiKeyAuthenticator extends Authenticator<string> {
  readonly name = 'api-key';

  constructor(private readonly keys: ApiKeyDirectory) {
    super();
  }

  /** Takes everything after `Bearer`, so trailing characters make the key invalid. */
  find({ headers: { authorization } }: FastifyRequest): string | null {
    if (authorization === undefined) return null;
    if (authorization.startsWith(USUAL)) return authorization.slice(USUAL.length - API_KEY_MARK.length);
    if (!authorization.includes(API_KEY_MARK)) return null;
    const token = BEARER.exec(authorization)?.[1];
    return token?.startsWith(API_KEY_MARK) === true ? token : null;
  }

  authenticate(key: string, context: ExecutionContext): AccountPrincipal | Promise<AccountPrincipal> {
    return this.keys.find(key, context.switchToHttp().getRequest<FastifyRequest>());
  }

  override async introspect(token: string): Promise<BearerOfToken | null> {
    return token.startsWith(API_KEY_MARK) ? this.keys.bearer(token) : null;
  }
}

/** API keys as credentials of an account. Caches of keys are invalidated by the change of the account, not here. */
@Injectable()
export class ApiKeyCredentials extends CredentialKind {
  readonly name = 'keys';
  protected readonly table = 'api_keys';
  protected override readonly label = 'name';
  protected override readonly detail = 'prefix';
  protected override readonly isListed = '(expires_at IS NULL OR expires_at > now())';
  override readonly isSelectable = true;

  constructor(private readonly audit: AuditTrail) {
    super();
  }

  protected async revoked(
    manager: EntityManager,
    userId: string,
    ids: readonly string[],
    { actor = accountActor(userId), origin }: RevokedBy,
  ): Promise<void> {
    const event = { action: 'key.end', actor, origin, facts: { user: userId, reason: 'credentials' } } as const;
    await this.audit.write(manager, ...ids.map((id) => ({ ...event, resource: `key:${id}` })));
  }
}
