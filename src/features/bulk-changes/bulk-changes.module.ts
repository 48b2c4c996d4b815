import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { BulkChangesController } from './bulk-changes.controller.js';
import './bulk-changes.errors.js';
import { BulkChanges } from './bulk-changes.service.js';

@Module({
  imports: [AuthModule, ContentModule, SchemaModule],
  controllers: [BulkChangesController],
  providers: [BulkChanges],
})
export class BulkChangesModule {}
