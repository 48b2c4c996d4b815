import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { DeclaresResources, RefusesKeys } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { AllKeysController } from './administration/all-keys.controller.js';
import { ApiKeyAuthenticator, ApiKeyCredentials } from './api-key-credentials.js';
import { ApiKeyDirectory } from './api-key-directory.service.js';
import { ApiKeyExpiry } from './api-key-expiry.service.js';
import { ApiKey } from './api-key.entity.js';
import './api-keys.errors.js';
import { ApiKeys1700000000410 } from './api-keys.migration.js';
import { ApiKeys } from './api-keys.service.js';
import { KeyAdministration } from './administration/key-administration.service.js';
import { KeyScopes, ScopeReferences } from './scopes/key-scopes.service.js';
import { OwnKeysController } from './own/own-keys.controller.js';
import { OwnKeys } from './own/own-keys.service.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountRecords } from './service-accounts/service-account-records.service.js';
import { ServiceAccounts } from './service-accounts/service-accounts.service.js';
import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

const LIMITS = defineRateLimits('API keys', {
  apiKeys: { points: 60, durationSeconds: 60, meaning: 'keys created, replaced and reported from one client address' },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}

/** Time for which an expired key is listed and refused with `key_expired` instead of `key_invalid`. */
const EXPIRED_RETENTION_MS = 30 * 86_400_000;

/** API keys, and service accounts that have no other credentials. */
@DeclaresResources('keys.*', 'service-accounts.*')
@RefusesKeys('keys.*', 'service-accounts.*')
@Tables({ entities: [ApiKey], migrations: [ApiKeys1700000000410] })
@Module({
  imports: [AuthModule, UsersModule, ContentModule],
  controllers: [AllKeysController, OwnKeysController, ServiceAccountsController],
  providers: [
    expiringTable('api_keys', EXPIRED_RETENTION_MS),
    endedByRestore('keys', 'api_keys'),
    ApiKeyAuthenticator,
    ApiKeyCredentials,
    ApiKeyDirectory,
    ApiKeyExpiry,
    ApiKeys,
    KeyAdministration,
    KeyScopes,
    ScopeReferences,
    OwnKeys,
    ServiceAccountRecords,
    ServiceAccounts,
  ],
})
export class ApiKeysModule {}
