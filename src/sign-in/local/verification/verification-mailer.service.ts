import { mailAddressee } from '../../../identity/users/users.public.js';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from '../../../identity/secrets/one-time-secrets.port.js';
import type { User } from '../../../identity/users/user.entity.js';

/** The two mails that prove a mailbox: the first one, and the one that leads to a new password. */
export type VerificationKind = 'activation' | 'recovery';

/** Data of a secret in such a mail: the address that it was sent to. */
interface MailedTo {
  readonly email: string;
}

/** The secret in the mail: the token of a link, or a code. */
export const MAILED_SECRET: Readonly<Record<VerificationKind, SecretPurpose<MailedTo>>> = {
  activation: definePurpose('activation'),
  recovery: definePurpose('recovery'),
};

/** Session that the person who asked for a code sends back with it; `checked` once the code was right. */
export const CODE_SESSION: Readonly<
  Record<VerificationKind, SecretPurpose<MailedTo & { readonly checked?: boolean }>>
> = {
  activation: definePurpose('activation-session'),
  recovery: definePurpose('recovery-session'),
};

const LIFETIME_SECONDS = { activation: 86_400, recovery: 3_600 } as const;
/** Digits and tries of a code that is typed, and for how long it is good. */
export const TYPED_CODE = { length: 6, attempts: 5, lifetimeSeconds: 900 } as const;

/** Mails the link, or the code, that proves a mailbox. */
@Injectable()
export class VerificationMailer {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: OneTimeSecrets,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Issues the secret, which says whose address it proves, and puts the mail into the outbox, in the caller's transaction.
   * An older one of the kind ends.
   *
   * @param sessionId where codes are typed: what the person who asked was given to send back with the code.
   */
  async send(manager: EntityManager, kind: VerificationKind, user: User, sessionId?: string): Promise<void> {
    const addressee = mailAddressee(user);
    if (addressee === null) return;
    const variables =
      sessionId === undefined ? await this.link(manager, kind, user) : await this.code(manager, kind, user, sessionId);
    await this.mailer.enqueue(manager, { template: kind, ...addressee, variables });
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
    sessionId: string,
  ): Promise<{ link: string; code: string; expiresInMinutes: number }> {
    const { lifetimeSeconds } = TYPED_CODE;
    const request = { userId: user.id, lifetimeSeconds, data: { email: user.emailKey } };
    await this.secrets.issueToken(manager, { ...request, purpose: CODE_SESSION[kind], secret: sessionId });
    const { secret } = await this.secrets.issueCode(manager, {
      ...request,
      ...TYPED_CODE,
      purpose: MAILED_SECRET[kind],
    });
    return { link: '', code: secret, expiresInMinutes: lifetimeSeconds / 60 };
  }
}

/** Returns the address of a page with a token for it. */
export function tokenLink(base: string, token: string): string {
  const url = new URL(base);
  url.searchParams.set('token', token);
  return url.href;
}
