import { Controller, Delete, Get, Header, Param, Patch, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../../identity/auth/access/access.decorators.js';
import { ReadsInput } from '../../../platform/http/input/accepts.decorators.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { ContentBulk } from '../content-bulk.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { writeRequestOf, sendWritten } from '../write/write-request.js';

@Controller('api/content')
export class ContentBulkController {
  constructor(private readonly bulk: ContentBulk) {}

  @Get(':schema/aggregate')
  @RecordResource('content')
  @Header('content-type', 'application/json; charset=utf-8')
  aggregate(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Query() query: RawQuery,
  ): Promise<string> {
    return this.bulk.aggregate(request.user ?? GUEST, schema, query);
  }

  @Patch(':schema')
  @RecordResource('content')
  @ReadsInput('query', 'body')
  async update(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.bulk.update(writeRequestOf(request)));
  }

  @Delete(':schema')
  @RecordResource('content')
  @ReadsInput('query')
  async remove(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.bulk.remove(writeRequestOf(request)));
  }
}
