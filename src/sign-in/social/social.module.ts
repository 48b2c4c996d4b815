import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import type { Config } from '../../platform/config/config.types.js';
import { ConfigError } from '../../platform/config/config.public.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { secretPurposes } from '../../identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../identity/secrets/secrets.module.js';
import { AdminGrant } from './accounts/admin-grant.entity.js';
import { AdminGrants } from './accounts/admin-grants.service.js';
import { FederatedAccounts } from './accounts/federated-accounts.service.js';
import { FederatedEntry } from './accounts/federated-entry.service.js';
import { IdentityNotices } from './accounts/identity-notices.service.js';
import { IdentitiesService } from './accounts/identities.service.js';
import { Identity } from './accounts/identity.entity.js';
import { IdentitiesController } from './identities.controller.js';
import { IDENTITY_LINK, LinkTokens } from './login/link-tokens.service.js';
import { LoginCompletion } from './login/login-completion.service.js';
import { LoginRefusals } from './login/login-refusals.service.js';
import { LoginStart } from './login/login-start.service.js';
import { PendingLogin } from './login/pending-login.entity.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { providerFaults } from './providers/provider-settings.js';
import { SocialController } from './social.controller.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { SOCIAL_PROVIDERS } from './social-providers.token.js';
import './social.errors.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { SOCIAL_VARIABLES } from './social.variables.js';

/** Signing in by providers: OpenID Connect by discovery, presets for the great ones, and GitHub. */
@DeclaresVariables(SOCIAL_VARIABLES)
@Tables({ entities: [Identity, AdminGrant, PendingLogin] })
@Module({})
export class SocialModule {
  /**
   * @param config the providers to offer, in `auth.providers`.
   * @throws ConfigError with every fault of their settings at once.
   */
  static forRoot({ auth, production }: Pick<Config, 'auth' | 'production'>): DynamicModule {
    const faults = auth.providers.flatMap((settings) => providerFaults(settings, production));
    if (faults.length > 0) throw new ConfigError(faults);
    return {
      module: SocialModule,
      imports: [
        AuthModule,
        RegistrationPolicyModule,
        SecretsModule,
        TypeOrmModule.forFeature([Identity, AdminGrant, PendingLogin]),
      ],
      controllers: [IdentitiesController, SocialController],
      providers: [
        expiringTable('pending_logins'),
        secretPurposes(IDENTITY_LINK),
        { provide: SOCIAL_PROVIDERS, useValue: auth.providers },
        AdminGrants,
        FederatedAccounts,
        FederatedEntry,
        FreshProof,
        IdentityNotices,
        IdentitiesService,
        LinkTokens,
        LoginCompletion,
        LoginRefusals,
        LoginStart,
        PendingLogins,
        ProviderRegistry,
      ],
    };
  }
}
