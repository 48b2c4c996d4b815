import { mailAddressee } from '../../../identity/users/users.public.js';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  CodeRequesters,
  type RequesterAddress,
} from '../../../identity/auth/code-requesters/code-requesters.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from '../../../identity/secrets/one-time-secrets.port.js';
import type { User } from '../../../identity/users/user.entity.js';

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
/** Typed codes: digits, attempts, and lifetime in seconds. */
export const TYPED_CODE = { length: 6, attempts: 5, lifetimeSeconds: 900 } as const;

export interface RequestedSession {
  readonly id: string;
  readonly address: RequesterAddress;
}

@Injectable()
export class VerificationMailer {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: OneTimeSecrets,
    private readonly requesters: CodeRequesters,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Issues the secret for the current address and enqueues the mail, in the caller's transaction. It replaces an older secret of the kind.
   *
   * @param session of the client that requested a code; undefined for links.
   */
  async send(manager: EntityManager, kind: VerificationKind, user: User, session?: RequestedSession): Promise<void> {
    const addressee = mailAddressee(user);
    if (addressee === null) return;
    const variables =
      session === undefined ? await this.link(manager, kind, user) : await this.code(manager, kind, user, session);
    await this.mailer.enqueue(manager, { template: kind, ...addressee, variables });
  }

  /**
   * Opens the session of a client that requested a code, in the caller's transaction. Sessions of other clients stay, and all of them
   * accept the newest code. Without a mail, the number of sessions is limited by the own attempts of the account.
   */
  async openSession(
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
    await manager.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]);
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

export function tokenLink(base: string, token: string): string {
  const url = new URL(base);
  url.searchParams.set('token', token);
  return url.href;
}
