import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { IndexAdvisor } from './advise/index-advisor.service.js';
import { SeenQueries } from './advise/seen-queries.service.js';
import { ArchiveCleanup } from './apply/archive-cleanup.js';
import { PlanRunner } from './apply/plan-runner.js';
import { SchemaApplier } from './apply/schema-applier.js';
import { PendingSchemaStatements, SchemaConnection } from './apply/schema-connection.js';
import { SchemaStore } from './apply/schema-store.js';
import { SchemaFileStore, SchemaFileWriter } from './files/schema-file-writer.js';
import { Schema1700000000310 } from './schema.migration.js';
import { SchemaChangesService } from './schema-changes.service.js';
import { SchemaFilesService } from './schema-files.service.js';
import { SchemaReadController } from './schema-read.controller.js';
import { SchemaReadingService } from './schema-reading.service.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import { SchemaTransfer } from './schema-transfer.service.js';
import { SchemaWriteController } from './schema-write.controller.js';
import './schema.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { SCHEMA_VARIABLES } from './schema.variables.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { Tables } from '../../platform/database/tables.decorator.js';

/** Schema definitions in JSON: validation, planning, application, and distribution to all instances. */
@Tables({
  migrations: [Schema1700000000310],
  others: ['schema_versions', 'schema_parts', 'schema_leftovers', 'schema_files', 'schema_file_writes', 'query_shapes'],
  // Archived objects, pending file writes and query shapes belong to one installation.
  transient: ['schema_leftovers', 'schema_file_writes', 'query_shapes'],
})
@DeclaresVariables(SCHEMA_VARIABLES)
@DeclaresResources('schema.*')
@Module({
  imports: [DiscoveryModule],
  controllers: [SchemaReadController, SchemaWriteController],
  providers: [
    SchemaStore,
    SchemaSnapshots,
    SchemaConnection,
    PlanRunner,
    PendingSchemaStatements,
    SchemaFileStore,
    SchemaFileWriter,
    SchemaApplier,
    SchemaChangesService,
    SchemaReadingService,
    SchemaFilesService,
    SchemaTransfer,
    ArchiveCleanup,
    SeenQueries,
    IndexAdvisor,
    expiringTable('query_shapes', 0),
  ],
  exports: [SchemaSnapshots, SeenQueries, SchemaFilesService, SchemaReadingService, SchemaTransfer],
})
export class SchemaModule {}
