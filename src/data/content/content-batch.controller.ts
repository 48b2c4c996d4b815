import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../identity/auth/access/access.decorators.js';
import { ContentBatch } from './content-batch.service.js';
import { sendWritten } from './write/send-written.js';
import { writeRequestOf } from './write/write-request.js';

/** Several writes in one transaction (CONTRACT §7). */
@Controller('api/batch')
export class ContentBatchController {
  constructor(private readonly batch: ContentBatch) {}

  @Post()
  @RecordResource('content')
  async run(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.batch.run(writeRequestOf(request)));
  }
}
