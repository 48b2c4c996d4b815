import { Controller, Delete, Get, Header, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { ReadsInput } from '../../../platform/http/input/accepts.decorators.js';
import { matchesEtag } from '../../../platform/http/http.public.js';
import { JSON_TYPE, readTag, sendWriteResponse } from '../answers.js';
import { ContentReading } from '../query/content-reading.service.js';
import { ReadConsistency } from '../query/read-consistency.service.js';
import { ContentBulk } from '../content-bulk.service.js';
import { ContentWriting } from '../content-writing.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { writeRequestOf } from '../write/write-request.js';

/** Record routes of every schema, addressed by name or namespace. */
@Controller('api/content')
export class ContentController {
  constructor(
    private readonly reading: ContentReading,
    private readonly writing: ContentWriting,
    private readonly bulk: ContentBulk,
    private readonly consistency: ReadConsistency,
  ) {}

  @Get(':schema')
  @RecordResource('content')
  async list(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { schema = '' } = request.params as Partial<Record<string, string>>;
    const query = request.query as RawQuery;
    const freshness = this.consistency.of(request);
    const body = await this.reading.list(request.user ?? GUEST, schema, query, { freshness });
    await this.send(request, reply, body);
  }

  @Get(':schema/aggregate')
  @RecordResource('content')
  @Header('content-type', JSON_TYPE)
  aggregate(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Query() query: RawQuery,
  ): Promise<string> {
    return this.reading.aggregate(request.user ?? GUEST, schema, query);
  }

  @Get(':schema/:id')
  @RecordResource('content')
  async get(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
    const query = request.query as RawQuery;
    const freshness = this.consistency.of(request);
    const { body, version } = await this.reading.get(request.user ?? GUEST, schema, id, query, { freshness });
    await this.send(request, reply, body, version);
  }

  @Get(':schema/:id/:relation')
  @RecordResource('content')
  async related(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { schema = '', id = '', relation = '' } = request.params as Partial<Record<string, string>>;
    const path = { schema, id, relation };
    const query = request.query as RawQuery;
    const freshness = this.consistency.of(request);
    const { body, target } = await this.reading.related(request.user ?? GUEST, path, query, { freshness });
    await this.send(request, reply, body, null, target);
  }

  @Post(':schema')
  @RecordResource('content')
  @ReadsInput('query', 'body')
  async create(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.writing.create(writeRequestOf(request)));
  }

  @Patch(':schema')
  @RecordResource('content')
  @ReadsInput('query', 'body')
  async updateMany(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.bulk.update(writeRequestOf(request)));
  }

  @Delete(':schema')
  @RecordResource('content')
  @ReadsInput('query')
  async removeMany(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.bulk.remove(writeRequestOf(request)));
  }

  @Patch(':schema/:id')
  @RecordResource('content')
  @ReadsInput('query', 'body')
  async update(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.writing.update(writeRequestOf(request), 'update'));
  }

  @Put(':schema/:id')
  @RecordResource('content')
  @ReadsInput('query', 'body')
  async replace(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.writing.update(writeRequestOf(request), 'replace'));
  }

  @Delete(':schema/:id')
  @RecordResource('content')
  @ReadsInput('query')
  async remove(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.writing.remove(writeRequestOf(request)));
  }

  @Post(':schema/:id/restore')
  @RecordResource('content')
  @ReadsInput('query')
  async restore(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendWriteResponse(reply, await this.writing.restore(writeRequestOf(request)));
  }

  /**
   * Sends the body, or 304 if the client has it (RFC 9110 §13.1.2). The tag is a hash of the text, so it is safe for any caller. Caches
   * keep a private copy and revalidate each time. System schemas such as accounts are not cached.
   */
  private async send(
    request: AuthenticatedRequest,
    reply: FastifyReply,
    body: string,
    version: string | null = null,
    schema = (request.params as Partial<Record<string, string>>)['schema'] ?? '',
  ): Promise<void> {
    const tag = readTag(body, version);
    void reply.header('etag', tag);
    if (this.reading.isCacheable(schema))
      void reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization, Cookie, Origin');
    if (matchesEtag(request, tag)) await reply.code(304).send();
    else await reply.header('content-type', JSON_TYPE).send(body);
  }
}
