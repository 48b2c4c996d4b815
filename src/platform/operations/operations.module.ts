import { Global, Module } from '@nestjs/common';
import { Tables } from '../database/tables.decorator.js';
import { expiringTable } from '../jobs/expired-rows.service.js';
import { BackgroundOperations1700000000430 } from './operations.migration.js';
import { Operations } from './operations.service.js';

/** Long operations of accounts: one table, one store, and the run of their steps. A kind supplies the steps (ADR 0114). */
@Tables({
  migrations: [BackgroundOperations1700000000430],
  others: ['background_operations'],
  transient: ['background_operations'],
})
@Global()
@Module({ providers: [expiringTable('background_operations', 0), Operations], exports: [Operations] })
export class OperationsModule {}
