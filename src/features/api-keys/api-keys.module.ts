import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { DeclaresResources, RefusesKeys } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyDirectory } from './api-key-directory.service.js';
import { ApiKey } from './api-key.entity.js';
import './api-keys.errors.js';
import './api-keys.limits.js';
import { ApiKeys1700000000031 } from './api-keys.migration.js';
import { ApiKeys } from './api-keys.service.js';
import { KeyScopes } from './key-scopes.service.js';
import { OwnKeysController } from './own-keys.controller.js';
import { OwnKeys } from './own-keys.service.js';
import { ServiceAccountsController } from './service-accounts.controller.js';
import { ServiceAccounts } from './service-accounts.service.js';

/** For how long an expired key is listed, and told "expired" and not "invalid". */
const KEEP_EXPIRED_MS = 30 * 86_400_000;

/** API keys of people, and accounts of programs that have nothing else (CONTRACT §11). */
@DeclaresResources('service-accounts.*')
@RefusesKeys('service-accounts.*')
@Tables({ entities: [ApiKey], migrations: [ApiKeys1700000000031] })
@Module({
  imports: [AuthModule, UsersModule, ContentModule],
  controllers: [OwnKeysController, ServiceAccountsController],
  providers: [
    expiringTable('api_keys', KEEP_EXPIRED_MS),
    ApiKeyAuthenticator,
    ApiKeyDirectory,
    ApiKeys,
    FreshProof,
    KeyScopes,
    OwnKeys,
    ServiceAccounts,
  ],
})
export class ApiKeysModule {}
