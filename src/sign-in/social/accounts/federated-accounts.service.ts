import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import {
  type OfferedMethods,
  type ProvenAccount,
  SignInMethod,
} from '../../../identity/auth/sign-in/sign-in-method.port.js';
import { TWO_OF_PROVIDER } from '../../../identity/auth/access/assurance.public.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { findViolatedUnique } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { parseEmailAddress } from '../../../kernel/text/email-address.js';
import { RegistrationGate } from '../../../identity/registration-policy/registration-gate.service.js';
import { EmailReservations } from '../../../identity/users/email-reservations.service.js';
import { UsersService } from '../../../identity/users/users.service.js';
import type { ProviderProfile } from '../providers/provider.types.js';
import { AdminGrants } from './admin-grants.service.js';
import { type EnteredAccount, FederatedEntry, mailboxRefusal, provenMailbox } from './federated-entry.service.js';
import { IDENTITY_UNIQUE, LinkedIdentities } from './linked-identities.service.js';

/** Two concurrent first logins can each lose one race. The third attempt finds committed rows. @internal */
const MAX_TRIES = 3;

/** Identities of disabled providers do not count. */
const LIST_OPENING = `SELECT DISTINCT provider FROM identities WHERE user_id = $1 AND provider = ANY($2)`;

/**
 * Maps a provider profile to an account. The order is: by issuer and subject, then by an address that the
 * provider verified. Otherwise a new account is created, after the registration policy and its hooks.
 */
@Injectable()
export class FederatedAccounts extends SignInMethod {
  readonly names: readonly string[];
  override readonly isStepUp = true;
  private readonly logger = new Logger('Social');

  constructor(
    @Inject(CONFIG) { auth }: Config,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly entry: FederatedEntry,
    private readonly gate: RegistrationGate,
    private readonly users: UsersService,
    private readonly reservations: EmailReservations,
    private readonly grants: AdminGrants,
    private readonly linked: LinkedIdentities,
    private readonly clock: Clock,
  ) {
    super();
    this.names = auth.providers.map(({ name }) => name);
  }

  offer(): Partial<OfferedMethods> {
    return { providers: this.names };
  }

  async listFor(manager: EntityManager, userId: string): Promise<readonly string[]> {
    const rows = await manager.query<{ provider: string }[]>(LIST_OPENING, [userId, this.names]);
    return rows.map(({ provider }) => provider);
  }

  /**
   * @throws AppError `account_inactive`, `email_not_verified`, `email_unusable`, `email_taken_by_other_method` if the address is reserved
   * for its former account, and the errors of {@link RegistrationGate.admit}.
   */
  async prove(provider: string, profile: ProviderProfile, client: ClientContext): Promise<ProvenAccount> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { granted, ...login } =
          (await this.entry.enter(provider, profile, client)) ?? (await this.register(provider, profile, client));
        if (granted)
          this.logger.log({
            userId: login.userId,
            provider,
            msg: 'The admin role was granted through AUTH_ADMIN_EMAILS.',
          });
        const amr = profile.hasSecondFactor === true ? TWO_OF_PROVIDER : undefined;
        return { ...login, provider, client, activated: true, amr };
      } catch (error) {
        if (tries === MAX_TRIES || !(await this.isLostRace(error, profile))) throw error;
      }
    }
  }

  private async register(provider: string, profile: ProviderProfile, origin: ClientContext): Promise<EnteredAccount> {
    const mailbox = provenMailbox(profile);
    if (mailbox === null) throw mailboxRefusal(profile);
    if (await this.reservations.exists(this.dataSource.manager, mailbox.key))
      throw new AppError('email_taken_by_other_method');
    const { firstName, lastName, subject, claims } = profile;
    const signUp = { email: mailbox.address, provider, providerId: subject, profile: claims };
    const { email, username } = await this.gate.admit(signUp);
    return this.changes.transaction(async (manager, notify) => {
      const { id: userId, credentialsVersion } = await this.users.create(manager, {
        email,
        username,
        firstName,
        lastName,
        language: origin.language,
        passwordHash: null,
        provider,
        activated: true,
        // A hook may have set another address, which is not proven.
        emailVerifiedAt: parseEmailAddress(email)?.key === mailbox.key ? this.clock.now() : null,
        roles: ['user'],
        origin,
      });
      await this.linked.write(manager, userId, provider, profile);
      const granted = await this.grants.grantOnce(manager, notify, userId, profile);
      return { userId, credentialsVersion, granted, secondFactor: false };
    });
  }

  /** Returns whether a concurrent login of the same person won. A retry then finds its account. */
  private async isLostRace(error: unknown, { email }: ProviderProfile): Promise<boolean> {
    if (findViolatedUnique(error) === IDENTITY_UNIQUE) return true;
    const isDuplicate = error instanceof AppError && error.code === 'email_taken';
    return isDuplicate && email !== null && (await this.users.findByEmail(email)) !== null;
  }
}
