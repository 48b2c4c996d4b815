import { Controller, Get, Header, Param, Query, Req } from '@nestjs/common';
import { type AuthenticatedRequest, RecordResource } from '../auth/access.decorators.js';
import { GUEST } from '../auth/principal.types.js';
import { ContentReading } from './content-reading.service.js';
import type { RawQuery } from './request/parse-list-query.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Records of every schema, by its name or its namespace (CONTRACT §7). */
@Controller('api/content')
export class ContentController {
  constructor(private readonly reading: ContentReading) {}

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
  @Header('content-type', JSON_TYPE)
  get(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Param('id') id: string,
    @Query() query: RawQuery,
  ): Promise<string> {
    return this.reading.get(request.user ?? GUEST, schema, id, query);
  }
}
