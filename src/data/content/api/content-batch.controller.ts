import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ReadsInput } from '../../../platform/http/input/accepts.decorators.js';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../../identity/auth/access/access.decorators.js';
import { ContentBatch } from '../content-batch.service.js';
import { writeRequestOf } from '../write/write-request.js';
import { sendWriteResponse } from '../answers.js';

const BATCH_ANSWER = {
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'array', items: { anyOf: [{ type: 'object' }, { const: true }] } } },
};

@ApiTags('Batch')
@Controller('api/batch')
export class ContentBatchController {
  constructor(private readonly batch: ContentBatch) {}

  @Post()
  @RecordResource('content')
  @ReadsInput('query', 'body')
  @ApiOperation({
    summary: 'Run several writes in one transaction',
    description:
      'Returns the results in order: a record for each write, and `true` for each deletion. If one write fails, none is applied.',
  })
  @ApiHeader({ name: 'Idempotency-Key' })
  @ApiBody({ schema: { $ref: '#/components/schemas/Batch' } })
  @ApiOkResponse({ schema: BATCH_ANSWER })
  @Throws(
    'field_invalid',
    'reference_not_found',
    'quota_exceeded',
    'record_not_found',
    'record_changed',
    'schema_not_found',
    'unique_violation',
    'record_in_use',
    'links_truncated',
    'idempotency_key_reused',
    'last_root_account',
  )
  async run(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.batch.run(writeRequestOf(request)));
  }
}
