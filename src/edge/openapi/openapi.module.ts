import { Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { ContentModule } from '../../data/content/content.module.js';
import { OpenApiDocuments } from './openapi-documents.service.js';
import { OpenApiController } from './openapi.controller.js';
import { DescribedRoutes } from './routes/described-routes.service.js';
import { ReferenceController } from './reference.controller.js';

/** The API described, for machines (`/api/openapi.json`) and for people (`/api/docs`). */
@Module({
  imports: [AuthModule, ContentModule],
  controllers: [OpenApiController, ReferenceController],
  providers: [OpenApiDocuments, DescribedRoutes],
})
export class OpenApiModule {}
