import { Module } from '@nestjs/common';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { ConvertController } from './convert.controller.js';
import { ConvertService } from './convert.service.js';

/** Makes definitions of the projects of other products. Its resource is one of `schema.*`. */
@Module({ imports: [SchemaModule], controllers: [ConvertController], providers: [ConvertService] })
export class ConvertModule {}
