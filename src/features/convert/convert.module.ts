import { Module } from '@nestjs/common';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { ConvertController } from './convert.controller.js';

/** Converts projects of other products. Its resource belongs to `schema.*`. */
@Module({ imports: [SchemaModule], controllers: [ConvertController] })
export class ConvertModule {}
