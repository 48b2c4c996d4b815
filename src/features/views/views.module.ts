import { Module } from '@nestjs/common';
import { provideSystemSchema } from '../../kernel/system-schema.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { View } from './view.entity.js';
import { ViewReferences } from './view-references.service.js';
import { VIEW_SCHEMA } from './view.schema.js';
import { Views1700000000450 } from './views.migration.js';

@Tables({ entities: [View], migrations: [Views1700000000450] })
@Module({ providers: [provideSystemSchema(VIEW_SCHEMA), ViewReferences] })
export class ViewsModule {}
