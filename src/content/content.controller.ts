import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../auth/access.decorators.js';
import { GUEST } from '../auth/principal.types.js';
import type { RecordBody } from './answer/list-answer.js';
import { ContentReading } from './content-reading.service.js';
import { ContentWriting, type RecordAddress } from './content-writing.service.js';
import { entityTag } from './write/written-record.js';
import type { RawQuery } from './request/parse-list-query.js';

const JSON_TYPE = 'application/json; charset=utf-8';

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
  list(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Query() query: RawQuery,
  ): Promise<string> {
    return this.reading.list(request.user ?? GUEST, schema, query);
  }

  @Get(':schema/:id')
  @RecordResource('content')
  async get(@Req() request: AuthenticatedRequest, @Query() query: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    const { principal, schema, id } = addressOf(request);
    await send(reply, await this.reading.get(principal, schema, id, query));
  }

  @Post(':schema')
  @RecordResource('content')
  async create(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Body() body: unknown,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply.code(201), await this.writing.create(request.user ?? GUEST, schema, body, query));
  }

  @Patch(':schema/:id')
  @RecordResource('content')
  async update(
    @Req() request: AuthenticatedRequest,
    @Body() body: unknown,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, await this.writing.update(addressOf(request), 'update', body, query));
  }

  @Put(':schema/:id')
  @RecordResource('content')
  async replace(
    @Req() request: AuthenticatedRequest,
    @Body() body: unknown,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, await this.writing.update(addressOf(request), 'replace', body, query));
  }

  @Delete(':schema/:id')
  @RecordResource('content')
  async remove(@Req() request: AuthenticatedRequest): Promise<{ data: true }> {
    await this.writing.remove(addressOf(request));
    return { data: true };
  }

  @Post(':schema/:id/restore')
  @HttpCode(200)
  @RecordResource('content')
  async restore(
    @Req() request: AuthenticatedRequest,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, await this.writing.restore(addressOf(request), query));
  }
}

/** Which record a request is about. */
function addressOf(request: AuthenticatedRequest): RecordAddress {
  const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
  return { principal: request.user ?? GUEST, schema, id, ifMatch: request.headers['if-match'] ?? null };
}

async function send(reply: FastifyReply, { body, version }: RecordBody): Promise<void> {
  if (version !== null && version !== '') void reply.header('etag', entityTag(version));
  await reply.header('content-type', JSON_TYPE).send(body);
}
