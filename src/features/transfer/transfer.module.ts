import { Module } from '@nestjs/common';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { DataExport } from './data-export.service.js';
import { DataImport } from './data-import.service.js';

/** Moves all data to another database: between embedded and server databases, and between versions. */
@Module({ imports: [SchemaModule], providers: [DataExport, DataImport] })
export class TransferModule {}
