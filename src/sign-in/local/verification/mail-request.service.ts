import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { CodeRequesters } from '../../../identity/auth/code-requesters/code-requesters.service.js';
import { AddressRequests } from '../../../identity/auth/address-requests.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { RateLimiter } from '../../../platform/http/rate-limit/rate-limiter.service.js';
import type { User } from '../../../identity/users/user.entity.js';
import { CodeSessions } from './code-sessions.service.js';
import {
  type RequestedSession,
  TYPED_CODE,
  type VerificationKind,
  VerificationMailer,
} from './verification-mailer.service.js';
import type { MailRequested } from './verification.dto.js';

const ELIGIBLE: Readonly<Record<VerificationKind, (user: User) => boolean>> = {
  activation: (user) => !user.activated && user.activatedAt === null,
  recovery: isRecoverable,
};

/** Accepts requests for a mail. The response is the same for every address. The rest happens in a background job. */
@Injectable()
export class MailRequestService implements OnModuleInit {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly requests: AddressRequests,
    private readonly limiter: RateLimiter,
    private readonly sessions: CodeSessions,
    private readonly requesters: CodeRequesters,
    private readonly mailer: VerificationMailer,
  ) {}

  onModuleInit(): void {
    for (const kind of ['activation', 'recovery'] as const) {
      this.requests.handle(kind, (manager, user, data) => this.serve(manager, kind, user, data));
    }
  }

  async request(kind: VerificationKind, email: string, client: ClientContext): Promise<MailRequested> {
    const message = 'If the address belongs to an account, a mail is on its way.';
    if (this.config.auth.local.verificationMethod === 'link') {
      await this.requests.submit(kind, email);
      return { message };
    }
    const sessionId = this.sessions.issue(email);
    const session: RequestedSession = { id: sessionId, address: this.requesters.addressOf(client) };
    await this.requests.submit(kind, email, { session });
    return { message, session_id: sessionId, expires_in: TYPED_CODE.lifetimeSeconds };
  }

  private async serve(
    manager: EntityManager,
    kind: VerificationKind,
    user: User,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (!ELIGIBLE[kind](user)) return;
    const session = data['session'] as RequestedSession | undefined;
    // Limits the mails to one account.
    if (await this.limiter.tryConsume('mailAddress', `${kind} ${user.id}`))
      await this.mailer.send(manager, kind, user, session);
    else if (session !== undefined) await this.mailer.openSession(manager, kind, user, { session, isMailed: false });
  }
}

/**
 * Returns whether recovery by mail is allowed. The account must be active. It must have a password or be local: a local account loses its
 * password when another person proves the address, or may never have had one.
 */
export function isRecoverable(user: Pick<User, 'activated' | 'passwordHash' | 'provider'>): boolean {
  return user.activated && (user.passwordHash !== null || user.provider === 'local');
}
