import { Module } from '@nestjs/common';
import { ContentModule } from '../../data/content/content.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { ImportRows } from './import-rows.service.js';
import { RecordImportJob } from './record-import-job.service.js';
import { RecordImportsController } from './record-imports.controller.js';
import './record-imports.errors.js';
import { RecordImports1700000000440 } from './record-imports.migration.js';
import { RecordImports } from './record-imports.service.js';
import { RECORD_IMPORTS_VARIABLES } from './record-imports.variables.js';

const TABLES = ['record_import_chunks', 'record_import_faults'];

/** Background imports of files: checked as a whole, written in small transactions, and reversible. */
@DeclaresVariables(RECORD_IMPORTS_VARIABLES)
@Tables({ migrations: [RecordImports1700000000440], others: TABLES, transient: TABLES })
@Module({
  imports: [AuthModule, ContentModule],
  controllers: [RecordImportsController],
  providers: [ImportRows, RecordImportJob, RecordImports],
})
export class RecordImportsModule {}
