import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { BulkChange } from './bulk-change.entity.js';
import { BulkChangeJob } from './bulk-change-job.service.js';
import { BulkChangeStore } from './bulk-change-store.service.js';
import { BulkRecords } from './bulk-records.service.js';
import { BulkChangesController } from './bulk-changes.controller.js';
import './bulk-changes.errors.js';
import { BulkChanges1700000000430 } from './bulk-changes.migration.js';
import { BulkChanges } from './bulk-changes.service.js';

@Tables({
  entities: [BulkChange],
  migrations: [BulkChanges1700000000430],
  transient: ['bulk_changes'],
})
@Module({
  imports: [AuthModule, ContentModule, SchemaModule],
  controllers: [BulkChangesController],
  providers: [expiringTable('bulk_changes', 0), BulkChangeJob, BulkChangeStore, BulkChanges, BulkRecords],
})
export class BulkChangesModule {}
