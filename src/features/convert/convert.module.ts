import { Module } from '@nestjs/common';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { ConvertController } from './convert.controller.js';
import { ConvertService } from './convert.service.js';

/** Converts projects of other products. Its resource belongs to `schema.*`. */
@Module({ imports: [SchemaModule], controllers: [ConvertController], providers: [ConvertService] })
export class ConvertModule {}
