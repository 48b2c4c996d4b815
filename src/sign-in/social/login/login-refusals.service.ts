import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { reasonOf } from '../providers/provider-failure.js';
import { type ReturnPage, type LoginRedirect, redirectWithError } from './login-redirect.js';

/** Server errors (5xx) that are the provider's. Others are not logged as sign-in attempts. */
const OF_PROVIDERS: ReadonlySet<string> = new Set(['provider_failed', 'provider_unavailable']);

/**
 * Handles failed logins. The server log and the audit log get the error code, the server log also the reason. The user sees only the error
 * code.
 */
@Injectable()
export class LoginRefusals {
  private readonly logger = new Logger('Social');

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns the redirect of a failure.
   *
   * @param origin of the browser; null if the audit log already has the event.
   * @throws any error that is not an AppError. The error filter handles it.
   */
  async redirect(
    error: unknown,
    provider: string,
    returnPage: ReturnPage,
    origin: RequestOrigin | null,
  ): Promise<LoginRedirect> {
    if (!(error instanceof AppError)) throw error;
    const { code, cause, status } = error;
    const entry = { provider, error: code, reason: reasonOf(cause), msg: 'A federated sign-in was rejected.' };
    if (status === 500) this.logger.error({ ...entry, err: cause });
    else if (status > 500) this.logger.warn(entry);
    else this.logger.debug(entry);
    if (origin !== null) await this.writeDown(error, provider, returnPage, origin);
    return redirectWithError(error, returnPage);
  }

  /** Writes a rejected sign-in to the audit log, without an account. An unknown provider is not a sign-in attempt. */
  private async writeDown(
    { code, status }: AppError,
    provider: string,
    { page, isStepUp = false }: ReturnPage,
    origin: RequestOrigin,
  ): Promise<void> {
    if (code === 'provider_not_found' || status === 429 || (status >= 500 && !OF_PROVIDERS.has(code))) return;
    const action = isStepUp ? 'session.prove' : page === 'account' ? 'identity.link' : 'session.begin';
    const event = { action, actor: 'guest', resource: 'user', outcome: code, origin } as const;
    await this.audit.write(this.dataSource.manager, { ...event, changes: factsOf({ provider }) });
  }
}
