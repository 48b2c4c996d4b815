import { Controller, Delete, Get, Header, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../kernel/principal.types.js';
import { entityTag } from './answer/write-answer.js';
import { ContentReading } from './content-reading.service.js';
import { ContentWriting } from './content-writing.service.js';
import type { RawQuery } from './request/parse-list-query.js';
import { writeRequestOf, JSON_TYPE, sendWritten } from './write/write-request.js';

/** Records of every schema, by its name or its namespace (CONTRACT §7). */
@Controller('api/content')
export class ContentController {
  constructor(
    private readonly reading: ContentReading,
    private readonly writing: ContentWriting,
  ) {}

  @Get(':schema')
  @RecordResource('content')
  @Header('content-type', JSON_TYPE)
  list(@Req() request: AuthenticatedRequest): Promise<string> {
    const { schema = '' } = request.params as Partial<Record<string, string>>;
    return this.reading.list(request.user ?? GUEST, schema, request.query as RawQuery);
  }

  @Get(':schema/:id')
  @RecordResource('content')
  async get(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
    const query = request.query as RawQuery;
    const { body, version } = await this.reading.get(request.user ?? GUEST, schema, id, query);
    if (version !== null && version !== '') void reply.header('etag', entityTag(version));
    await reply.header('content-type', JSON_TYPE).send(body);
  }

  @Post(':schema')
  @RecordResource('content')
  async create(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.writing.create(writeRequestOf(request)));
  }

  @Patch(':schema/:id')
  @RecordResource('content')
  async update(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.writing.update(writeRequestOf(request), 'update'));
  }

  @Put(':schema/:id')
  @RecordResource('content')
  async replace(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.writing.update(writeRequestOf(request), 'replace'));
  }

  @Delete(':schema/:id')
  @RecordResource('content')
  async remove(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.writing.remove(writeRequestOf(request)));
  }

  @Post(':schema/:id/restore')
  @RecordResource('content')
  async restore(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWritten(reply, await this.writing.restore(writeRequestOf(request)));
  }
}
