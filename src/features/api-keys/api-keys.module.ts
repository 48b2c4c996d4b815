import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { DeclaresResources, RefusesKeys } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { endedByRestore } from '../../platform/backup/backup.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { AllKeysController } from './administration/all-keys.controller.js';
import { ApiKeyCredentials } from './api-key-credentials.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyDirectory } from './api-key-directory.service.js';
import { ApiKeyExpiry } from './api-key-expiry.service.js';
import { ApiKey } from './api-key.entity.js';
import './api-keys.errors.js';
import './api-keys.limits.js';
import { ApiKeys1700000000410 } from './api-keys.migration.js';
import { ApiKeys } from './api-keys.service.js';
import { KeyAdministration } from './administration/key-administration.service.js';
import { ScopeReferences } from './scopes/scope-references.service.js';
import { KeyScopes } from './scopes/key-scopes.service.js';
import { OwnKeysController } from './own/own-keys.controller.js';
import { OwnKeys } from './own/own-keys.service.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountRecords } from './service-accounts/service-account-records.service.js';
import { ServiceAccounts } from './service-accounts/service-accounts.service.js';

/** Time for which an expired key is listed and refused with `key_expired` instead of `key_invalid`. */
const KEEP_EXPIRED_MS = 30 * 86_400_000;

/** API keys, and service accounts that have no other credentials (CONTRACT §11). */
@DeclaresResources('keys.*', 'service-accounts.*')
@RefusesKeys('keys.*', 'service-accounts.*')
@Tables({ entities: [ApiKey], migrations: [ApiKeys1700000000410] })
@Module({
  imports: [AuthModule, UsersModule, ContentModule],
  controllers: [AllKeysController, OwnKeysController, ServiceAccountsController],
  providers: [
    expiringTable('api_keys', KEEP_EXPIRED_MS),
    endedByRestore('keys', 'api_keys'),
    ApiKeyAuthenticator,
    ApiKeyCredentials,
    ApiKeyDirectory,
    ApiKeyExpiry,
    ApiKeys,
    FreshProof,
    KeyAdministration,
    KeyScopes,
    ScopeReferences,
    OwnKeys,
    ServiceAccountRecords,
    ServiceAccounts,
  ],
})
export class ApiKeysModule {}
