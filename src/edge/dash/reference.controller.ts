import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { PageService } from './page.service.js';

/** Serves the reference page. It contains no data: the browser loads the document. */
@ApiTags('Service')
@Controller('api/docs')
export class ReferenceController {
  constructor(private readonly pages: PageService) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'The reference page' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @Throws('route_not_found')
  page(@Res() reply: FastifyReply): void {
    this.pages.sendReference(reply);
  }
}
