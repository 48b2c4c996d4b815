import { Module } from '@nestjs/common';
import { provideSystemSchema } from '../../kernel/system-schema.js';
import { FILE_SCHEMA } from './file.schema.js';

/** Files of records: their table, to which fields of type `file` lead. */
@Module({ providers: [provideSystemSchema(FILE_SCHEMA)] })
export class FilesModule {}
