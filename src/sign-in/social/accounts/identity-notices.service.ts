import { mailAddressee, type MailedAccount } from '../../../identity/users/users.public.js';
import { Injectable } from '@nestjs/common';
import { RevocationLinks } from '../../../identity/auth/credentials/revocation-links.service.js';
import type { EntityManager } from 'typeorm';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import type { User } from '../../../identity/users/user.entity.js';

type Addressee = MailedAccount & Pick<User, 'id'>;

@Injectable()
export class IdentityNotices {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: RevocationLinks,
  ) {}

  /** Enqueues the mail, in the caller's transaction. */
  async tellOwner(
    manager: EntityManager,
    user: Addressee,
    linked: { readonly provider: string; readonly id: string },
  ): Promise<void> {
    const addressee = mailAddressee(user);
    if (addressee === null) return;
    const { provider, id } = linked;
    const revokeLink = await this.links.issue(manager, user.id, { kind: 'identities', id });
    await this.mailer.enqueue(manager, {
      template: 'identity-linked',
      ...addressee,
      variables: { provider, revokeLink },
    });
  }
}
