import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { secretPurposes } from '../../identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../identity/secrets/secrets.module.js';
import { AdminGrant } from './accounts/admin-grant.entity.js';
import { AdminGrants } from './accounts/admin-grants.service.js';
import { FederatedAccounts } from './accounts/federated-accounts.service.js';
import { FederatedEntry } from './accounts/federated-entry.service.js';
import { IdentityCredentials } from './accounts/identity-credentials.js';
import { IdentityNotices } from './accounts/identity-notices.service.js';
import { IdentitiesService } from './accounts/identities.service.js';
import { Identity } from './accounts/identity.entity.js';
import { AllIdentitiesController } from './all-identities.controller.js';
import { IdentitiesController } from './identities.controller.js';
import { LinkAddresses } from './login/link-addresses.service.js';
import { IDENTITY_LINK, LinkTokens } from './login/link-tokens.service.js';
import { LoginCompletion } from './login/login-completion.service.js';
import { LoginRefusals } from './login/login-refusals.service.js';
import { LoginStart } from './login/login-start.service.js';
import { PendingLogin } from './login/pending-login.entity.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { OffersProviders } from './providers/define-provider.js';
import { PRESETS } from './providers/presets.js';
import { SocialController } from './social.controller.js';
import { Social1700000000210 } from './social.migration.js';
import { endedByRestore } from '../../platform/backup/backup.public.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import './social.errors.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { SOCIAL_VARIABLES } from './social.variables.js';

@DeclaresResources('identities.list')
@DeclaresVariables(SOCIAL_VARIABLES)
@OffersProviders(...PRESETS)
@Tables({ entities: [Identity, AdminGrant, PendingLogin], migrations: [Social1700000000210] })
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
    FreshProof,
    IdentityCredentials,
    IdentityNotices,
    IdentitiesService,
    LinkAddresses,
    LinkTokens,
    LoginCompletion,
    LoginRefusals,
    LoginStart,
    PendingLogins,
    ProviderRegistry,
  ],
})
export class SocialModule {}
