import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountErasure } from './accounts/account-erasure.service.js';
import { AccountRecordsExport } from './accounts/account-records-export.service.js';
import { ErasurePreview } from './accounts/erasure-preview.service.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { SchemaModule } from '../schema/schema.module.js';
import { ContentAbilities } from './access/content-abilities.service.js';
import { Content } from './content.service.js';
import { ContentCheck } from './access/content-check.service.js';
import { ContentBatchController } from './api/content-batch.controller.js';
import { ContentBatch } from './content-batch.service.js';
import { ContentBulk } from './content-bulk.service.js';
import { ContentExportController } from './export/content-export.controller.js';
import { ContentExport } from './export/content-export.service.js';
import { ContentImportController } from './import/content-import.controller.js';
import { ContentImport } from './import/content-import.service.js';
import { CsvParser } from './import/rows/csv-parser.service.js';
import { ImportSteps } from './import/import-steps.service.js';
import { ImportUndo } from './import/import-undo.service.js';
import { ImportWriter } from './import/import-writer.service.js';
import { ContentContexts } from './content-context.service.js';
import { ContentReading } from './query/content-reading.service.js';
import { ContentWriting } from './content-writing.service.js';
import { ContentStatements } from './query/content-statements.js';
import { ContentController } from './api/content.controller.js';
import { OwnPermissionsService } from './access/own-permissions.service.js';
import { PermissionsController } from './access/permissions.controller.js';
import { CompiledQueries } from './query/compiled-queries.service.js';
import { RecordChanges } from './write/hooks/record-changes.service.js';
import { RecordHooks } from './write/hooks/record-hooks.service.js';
import { RuleLanguage } from '../../identity/users/roles/rule-language.port.js';
import { SnapshotRuleLanguage } from './access/snapshot-rule-language.js';
import { BatchRuns } from './write/batch-runs.service.js';
import { RecordLocking } from './write/record-locking.service.js';
import { RecordRemover } from './write/deletion/record-remover.service.js';
import { SetWriter } from './write/sets/set-writer.service.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { SingleStatementWriter } from './write/single-statement-writer.service.js';
import { RecordGate } from './record-gate.service.js';
import { ReadConsistency } from './query/read-consistency.service.js';
import { AccessExplanationController } from './explain/access-explanation.controller.js';
import { AccessExplanations } from './explain/access-explanation.service.js';
import './content.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { CONTENT_VARIABLES } from './content.variables.js';
import { IdempotencyKeys1700000000320 } from './write/idempotency-keys.migration.js';
import { Tables } from '../../platform/database/tables.decorator.js';

@Tables({
  migrations: [IdempotencyKeys1700000000320],
  others: ['idempotency_keys'],
  transient: ['idempotency_keys'],
})
@DeclaresVariables(CONTENT_VARIABLES)
@Global()
@DeclaresResources('content', 'content.*', 'access.explain')
@Module({
  imports: [AuthModule, DiscoveryModule, SchemaModule],
  controllers: [
    AccessExplanationController,
    ContentBatchController,
    ContentController,
    ContentExportController,
    ContentImportController,
    PermissionsController,
  ],
  providers: [
    expiringTable('idempotency_keys', 0),
    AccountErasure,
    AccountRecordsExport,
    ErasurePreview,
    Content,
    ContentCheck,
    ContentAbilities,
    ContentBatch,
    ContentBulk,
    ContentContexts,
    ContentExport,
    ContentImport,
    CsvParser,
    ImportSteps,
    ImportUndo,
    ImportWriter,
    ContentReading,
    ContentWriting,
    ContentStatements,
    OwnPermissionsService,
    CompiledQueries,
    RecordChanges,
    RecordGate,
    RecordHooks,
    { provide: RuleLanguage, useClass: SnapshotRuleLanguage },
    BatchRuns,
    RecordLocking,
    RecordRemover,
    SetWriter,
    SingleStatementWriter,
    ReadConsistency,
    AccessExplanations,
  ],
  exports: [
    AccountErasure,
    AccountRecordsExport,
    ErasurePreview,
    Content,
    ContentAbilities,
    ImportSteps,
    ImportUndo,
    RecordGate,
    RecordHooks,
    RuleLanguage,
  ],
})
export class ContentModule {}
