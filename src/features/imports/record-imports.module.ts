import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { RecordImportFaults } from './record-import-faults.service.js';
import { RecordImportJob } from './record-import-job.service.js';
import { RecordImportStore } from './record-import-store.service.js';
import { RecordImport, RecordImportChunk, RecordImportFault } from './record-import.entity.js';
import { RecordImportsController } from './record-imports.controller.js';
import './record-imports.errors.js';
import { RecordImports1700000000440 } from './record-imports.migration.js';
import { RecordImports } from './record-imports.service.js';
import { RECORD_IMPORTS_VARIABLES } from './record-imports.variables.js';

/** Background imports of files: checked as a whole, written in small transactions, and reversible. */
@DeclaresVariables(RECORD_IMPORTS_VARIABLES)
@Tables({
  entities: [RecordImport, RecordImportChunk, RecordImportFault],
  migrations: [RecordImports1700000000440],
  transient: ['record_imports', 'record_import_chunks', 'record_import_faults'],
})
@Module({
  imports: [AuthModule, ContentModule],
  controllers: [RecordImportsController],
  providers: [
    expiringTable('record_imports', 0),
    RecordImportFaults,
    RecordImportJob,
    RecordImportStore,
    RecordImports,
  ],
})
export class RecordImportsModule {}
