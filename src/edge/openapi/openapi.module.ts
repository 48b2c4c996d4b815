import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { ContentModule } from '../../data/content/content.module.js';
import { OpenApiDocuments } from './openapi-documents.service.js';
import { OpenApiController } from './openapi.controller.js';
import { DescribedRoutes } from './routes/described-routes.service.js';

@DeclaresResources('openapi')
@Module({
  imports: [AuthModule, ContentModule],
  controllers: [OpenApiController],
  providers: [OpenApiDocuments, DescribedRoutes],
})
export class OpenApiModule {}
