import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { secretPurposes } from '../../identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../identity/secrets/secrets.module.js';
import { AdminGrants } from './accounts/admin-grants.service.js';
import { FederatedAccounts } from './accounts/federated-accounts.service.js';
import { FederatedEntry } from './accounts/federated-entry.service.js';
import { IdentitiesService } from './accounts/identities.service.js';
import { IdentityCredentials, LinkedIdentities } from './accounts/linked-identities.service.js';
import { AllIdentitiesController, IdentitiesController } from './identities.controller.js';
import { IDENTITY_LINK, LinkTokens } from './login/link-tokens.service.js';
import { LoginCompletion } from './login/login-completion.service.js';
import { LoginRefusals } from './login/login-refusals.service.js';
import { LoginStart } from './login/login-start.service.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { OffersProviders } from './providers/define-provider.js';
import { PRESETS } from './providers/presets.js';
import { SocialController } from './social.controller.js';
import { Social1700000000210 } from './social.migration.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import './social.errors.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { SOCIAL_VARIABLES } from './social.variables.js';

@DeclaresResources('identities.list')
@DeclaresVariables(SOCIAL_VARIABLES)
@OffersProviders(...PRESETS)
@Tables({ others: ['identities', 'admin_grants', 'pending_logins'], migrations: [Social1700000000210] })
@Module({
  imports: [AuthModule, RegistrationPolicyModule, SecretsModule],
  controllers: [AllIdentitiesController, IdentitiesController, SocialController],
  providers: [
    expiringTable('pending_logins'),
    endedByRestore('secrets', 'pending_logins'),
    secretPurposes(IDENTITY_LINK),
    AdminGrants,
    FederatedAccounts,
    FederatedEntry,
    IdentityCredentials,
    IdentitiesService,
    LinkTokens,
    LinkedIdentities,
    LoginCompletion,
    LoginRefusals,
    LoginStart,
    PendingLogins,
    ProviderRegistry,
  ],
})
export class SocialModule {}
