import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type AccountPrincipal, CONFIG, type Config, definePurpose, Mailer, OneTimeSecrets } from 'lintel';
import { DataSource } from 'typeorm';
import { InvitationRefused } from './customers.errors.js';
import { CustomersService } from './customers.service.js';
import { invitation } from './invitation.mail.js';

/** An invitation is valid once, for the company of the inviting customer. */
export const INVITATION = definePurpose<{ readonly company: string }>('acme:invitation');

const LIFETIME_MINUTES = 24 * 60;

/** Invites colleagues into a company. */
@Injectable()
export class InvitationsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: OneTimeSecrets,
    private readonly mailer: Mailer,
    private readonly customers: CustomersService,
  ) {}

  /** Creates an invitation. The secret and its mail are one transaction. */
  async invite({ userId }: AccountPrincipal, company: string, to: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.customers.change(manager, userId, { company });
      const { secret } = await this.secrets.issueToken(manager, {
        purpose: INVITATION,
        userId,
        lifetimeSeconds: LIFETIME_MINUTES * 60,
        data: { company },
      });
      const link = `${this.config.appUrl}/join#${secret}`;
      const variables = { company, link, expiresInMinutes: LIFETIME_MINUTES };
      await this.mailer.enqueue(manager, { template: invitation, to, variables });
    });
  }

  /**
   * Consumes an invitation. One of two concurrent requests succeeds.
   *
   * @throws InvitationRefused
   */
  async accept({ userId }: AccountPrincipal, token: string): Promise<string> {
    return this.dataSource.transaction(async (manager) => {
      const grant = await this.secrets.consumeToken(manager, INVITATION, token);
      if (typeof grant === 'string') throw new InvitationRefused({ details: { reason: grant } });
      await this.customers.change(manager, userId, { company: grant.data.company });
      return grant.data.company;
    });
  }
}
