import { mailAccount } from '../../../identity/users/users.public.js';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  CodeRequesters,
  type RequesterAddress,
} from '../../../identity/auth/code-requesters/code-requesters.service.js';
import { AddressRequests } from '../../../identity/auth/address-requests.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { RateLimiter } from '../../../platform/http/rate-limit/rate-limiter.service.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from '../../../identity/secrets/one-time-secrets.port.js';
import type { User } from '../../../identity/users/user.entity.js';
import { lockAccount } from '../../../identity/users/users.service.js';
import { CodeSessions, TYPED_CODE } from './code-sessions.service.js';
import type { MailRequested } from './verification.dto.js';

export type VerificationKind = 'activation' | 'recovery';

interface MailedTo {
  readonly email: string;
}

/** The secret in the mail: the token of a link, or a code. */
export const MAILED_SECRET: Readonly<Record<VerificationKind, SecretPurpose<MailedTo>>> = {
  activation: definePurpose('activation'),
  recovery: definePurpose('recovery'),
};

/** Session that the client sends back with a code. `checked` is set after a right code. */
export const CODE_SESSION: Readonly<
  Record<VerificationKind, SecretPurpose<MailedTo & { readonly checked?: boolean }>>
> = {
  activation: definePurpose('activation-session'),
  recovery: definePurpose('recovery-session'),
};

const LIFETIME_SECONDS = { activation: 86_400, recovery: 3_600 } as const;
const ELIGIBLE: Readonly<Record<VerificationKind, (user: User) => boolean>> = {
  activation: (user) => !user.activated && user.activatedAt === null,
  recovery: isRecoverable,
};

/** Session of a client that requested a typed code. */
interface RequestedSession {
  readonly id: string;
  readonly address: RequesterAddress;
}

/** Mails of activation and recovery. The response to a request is the same for every address: a background job does the rest. */
@Injectable()
export class VerificationMailer implements OnModuleInit {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: CodeSessions,
    private readonly requesters: CodeRequesters,
    private readonly requests: AddressRequests,
    private readonly limiter: RateLimiter,
    private readonly mailer: Mailer,
  ) {}

  onModuleInit(): void {
    for (const kind of ['activation', 'recovery'] as const)
      this.requests.handle(kind, (manager, user, data) => this.serve(manager, kind, user, data));
  }

  async request(kind: VerificationKind, email: string, client: ClientContext): Promise<MailRequested> {
    const message = 'If the address belongs to an account, a mail is on its way.';
    const session = this.newSession(email, client);
    await this.requests.submit(kind, email, session && { session });
    return session === undefined
      ? { message }
      : { message, session_id: session.id, expires_in: TYPED_CODE.lifetimeSeconds };
  }

  /** Returns a session for a client that requests a mail; undefined if mails contain links instead of typed codes. */
  newSession(email: string, client: Pick<ClientContext, 'address'>): RequestedSession | undefined {
    if (this.config.auth.local.verificationMethod === 'link') return undefined;
    return { id: this.sessions.issue(email), address: this.requesters.addressOf(client) };
  }

  /**
   * Issues the secret for the current address and enqueues the mail, in the caller's transaction. It replaces an older secret of the kind.
   *
   * @param session of the client that requested a code; undefined for links.
   */
  async send(manager: EntityManager, kind: VerificationKind, user: User, session?: RequestedSession): Promise<void> {
    const variables =
      session === undefined ? await this.link(manager, kind, user) : await this.code(manager, kind, user, session);
    await mailAccount(this.mailer, manager, user, { template: kind, variables });
  }

  /**
   * Opens the session of a client that requested a code, in the caller's transaction. Sessions of other clients stay, and all of them
   * accept the newest code. Without a mail, the number of sessions is limited by the own attempts of the account.
   */
  private async openSession(
    manager: EntityManager,
    kind: VerificationKind,
    { id: userId, emailKey: email }: User,
    { session, isMailed }: { readonly session: RequestedSession; readonly isMailed: boolean },
  ): Promise<void> {
    const { id: secret, address } = session;
    const { lifetimeSeconds } = TYPED_CODE;
    // Each session without a mail costs one of the account's own attempts, so the number of sessions is limited.
    const recorded = { kind, userId, address, sessionId: secret, lifetimeSeconds, renews: isMailed };
    const isOwn = await this.requesters.record(manager, recorded);
    if (!isOwn && !isMailed) return;
    const request = { purpose: CODE_SESSION[kind], userId, lifetimeSeconds, data: { email }, secret, replace: false };
    await this.secrets.issueToken(manager, request);
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
      await this.send(manager, kind, user, session);
    else if (session !== undefined) await this.openSession(manager, kind, user, { session, isMailed: false });
  }

  private async link(
    manager: EntityManager,
    kind: VerificationKind,
    user: User,
  ): Promise<{ link: string; expiresInMinutes: number }> {
    const lifetimeSeconds = LIFETIME_SECONDS[kind];
    const request = { purpose: MAILED_SECRET[kind], userId: user.id, lifetimeSeconds, data: { email: user.emailKey } };
    const { secret } = await this.secrets.issueToken(manager, request);
    const base = kind === 'activation' ? this.config.auth.local.activationUrl : this.config.auth.local.recoveryUrl;
    return { link: tokenLink(base, secret), expiresInMinutes: lifetimeSeconds / 60 };
  }

  private async code(
    manager: EntityManager,
    kind: VerificationKind,
    user: User,
    session: RequestedSession,
  ): Promise<{ link: string; code: string; expiresInMinutes: number }> {
    const { lifetimeSeconds } = TYPED_CODE;
    const request = { userId: user.id, lifetimeSeconds, data: { email: user.emailKey } };
    // Lock the account, because the number of its sessions is counted.
    await lockAccount(manager, user.id);
    await this.openSession(manager, kind, user, { session, isMailed: true });
    const { secret } = await this.secrets.issueCode(manager, {
      ...request,
      ...TYPED_CODE,
      purpose: MAILED_SECRET[kind],
    });
    await this.requesters.noteCode(manager, kind, user.id, secret);
    return { link: '', code: secret, expiresInMinutes: lifetimeSeconds / 60 };
  }
}

/**
 * Returns whether recovery by mail is allowed. The account must be active. It must have a password or be local: a local account loses its
 * password when another person proves the address, or may never have had one.
 */
export function isRecoverable(user: Pick<User, 'activated' | 'passwordHash' | 'provider'>): boolean {
  return user.activated && (user.passwordHash !== null || user.provider === 'local');
}

export function tokenLink(base: string, token: string): string {
  const url = new URL(base);
  url.searchParams.set('token', token);
  return url.href;
}
