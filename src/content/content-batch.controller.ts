import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { type AuthenticatedRequest, RecordResource } from '../auth/access.decorators.js';
import { GUEST } from '../auth/principal.types.js';
import { ContentBatch } from './content-batch.service.js';

/** Several writes in one transaction (CONTRACT §7). */
@Controller('api/batch')
export class ContentBatchController {
  constructor(private readonly batch: ContentBatch) {}

  @Post()
  @HttpCode(200)
  @RecordResource('content')
  @Header('content-type', 'application/json; charset=utf-8')
  run(@Req() request: AuthenticatedRequest, @Body() body: unknown): Promise<string> {
    return this.batch.run(request.user ?? GUEST, body);
  }
}
