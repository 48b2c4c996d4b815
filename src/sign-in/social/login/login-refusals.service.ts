import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { reasonOf } from '../providers/provider-failure.js';
import { type ReturnPage, type LoginRedirect, refused } from './login-redirect.js';

/** Faults of a provider, which are what became of a sign-in; other faults of a server say nothing of it. */
const OF_PROVIDERS: ReadonlySet<string> = new Set(['provider_failed', 'provider_unavailable']);

/** The one place where a failed login is told: to both logs with its reason, to the person without. */
@Injectable()
export class LoginRefusals {
  private readonly logger = new Logger('Social');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the redirect of a failure.
   *
   * @param origin whence the browser came; null if the audit log was told already.
   * @throws whatever is no refusal of ours: the error filter answers and logs it.
   */
  async redirect(
    error: unknown,
    provider: string,
    returnPage: ReturnPage,
    origin: RequestOrigin | null,
  ): Promise<LoginRedirect> {
    if (!(error instanceof AppError)) throw error;
    const { code, cause, status } = error;
    const told = { provider, error: code, reason: reasonOf(cause), msg: 'A federated login was refused.' };
    if (status === 500) this.logger.error({ ...told, err: cause });
    else if (status > 500) this.logger.warn(told);
    else this.logger.debug(told);
    if (origin !== null) await this.writeDown(error, provider, returnPage, origin);
    return refused(error, returnPage);
  }

  /** Writes down a refused sign-in, in which nobody has proven to be anybody. A provider that there is not is no sign-in at all. */
  private async writeDown(
    { code, status }: AppError,
    provider: string,
    { page, isStepUp = false }: ReturnPage,
    origin: RequestOrigin,
  ): Promise<void> {
    if (code === 'provider_not_found' || status === 429 || (status >= 500 && !OF_PROVIDERS.has(code))) return;
    const action = isStepUp ? 'session.prove' : page === 'account' ? 'identity.link' : 'session.begin';
    const changes = factsOf({ provider });
    const event = { action, actor: 'guest', resource: 'user', outcome: code, origin, changes } as const;
    await this.audit.write(this.dataSource.manager, { ...event, at: this.clock.now() });
  }
}
