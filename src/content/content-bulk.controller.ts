import { Body, Controller, Delete, Get, Header, Param, Patch, Query, Req } from '@nestjs/common';
import { type AuthenticatedRequest, RecordResource } from '../auth/access.decorators.js';
import { GUEST } from '../auth/principal.types.js';
import { ContentBulk } from './content-bulk.service.js';
import type { RawQuery } from './request/parse-list-query.js';

/** Many records at once (CONTRACT §7). */
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
  async update(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Body() body: unknown,
    @Query() query: RawQuery,
  ): Promise<{ data: { count: number } }> {
    return { data: { count: await this.bulk.update(request.user ?? GUEST, schema, body, query) } };
  }

  @Delete(':schema')
  @RecordResource('content')
  async remove(
    @Req() request: AuthenticatedRequest,
    @Param('schema') schema: string,
    @Query() query: RawQuery,
  ): Promise<{ data: { count: number } }> {
    return { data: { count: await this.bulk.remove(request.user ?? GUEST, schema, query) } };
  }
}
