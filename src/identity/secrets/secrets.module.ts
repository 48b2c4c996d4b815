import { Module } from '@nestjs/common';
import { providePort } from '../../platform/extension/ports.js';
import { DatabaseOneTimeSecrets } from './database-one-time-secrets.js';
import { OneTimeSecrets1700000000130 } from './one-time-secrets.migration.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { OneTimeSecrets } from './one-time-secrets.port.js';
import { SecretPurposes } from './secret-purposes.service.js';
import { Tables } from '../../platform/database/tables.decorator.js';

/** One-time secrets for modules that send or show them. */
@Tables({ others: ['one_time_secrets'], migrations: [OneTimeSecrets1700000000130] })
@Module({
  providers: [
    expiringTable('one_time_secrets'),
    endedByRestore('secrets', 'one_time_secrets'),
    SecretPurposes,
    providePort('oneTimeSecrets', OneTimeSecrets, DatabaseOneTimeSecrets, {
      issueToken: 'remote',
      issueCode: 'remote',
      checkToken: 'remote',
      consumeToken: 'remote',
      tryCode: 'remote',
      revoke: 'remote',
      revokeNewer: 'remote',
    }),
  ],
  exports: [OneTimeSecrets, SecretPurposes],
})
export class SecretsModule {}
