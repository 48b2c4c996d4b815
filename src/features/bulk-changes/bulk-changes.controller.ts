import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RecordResource } from '../../identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { BulkChangeBody, ToldBulkChange } from './bulk-changes.dto.js';
import { BulkChanges } from './bulk-changes.service.js';

@ApiTags('Changes of many')
@Controller('api/bulk-changes')
export class BulkChangesController {
  constructor(private readonly changes: BulkChanges) {}

  @Post()
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({
    summary: 'Change, delete or restore all records that a filter finds, however many, in the background',
    description: 'Those that are there now, some at a time, each time all or none. A record that is refused stops it.',
  })
  @AnswersData(ToldBulkChange)
  @Throws('bulk_changes_pending', 'query_invalid', 'field_invalid', 'schema_not_found')
  async begin(
    @CurrentAccount() principal: AccountPrincipal,
    @Body() body: BulkChangeBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ data: ToldBulkChange }> {
    const data = await this.changes.begin(principal, body);
    void reply.header('location', `/api/bulk-changes/${data.id}`);
    return { data };
  }

  @Get()
  @RecordResource('content')
  @ApiOperation({ summary: 'Your changes of many records, the newest first' })
  @AnswersData([ToldBulkChange])
  async list(@CurrentAccount() principal: AccountPrincipal): Promise<{ data: readonly ToldBulkChange[] }> {
    return { data: await this.changes.list(principal) };
  }

  @Get(':id')
  @RecordResource('content')
  @ApiOperation({ summary: 'How far a change of many records is' })
  @AnswersData(ToldBulkChange)
  @Throws('bulk_change_not_found')
  async get(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ToldBulkChange }> {
    return { data: await this.changes.get(principal, id) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RecordResource('content')
  @ApiOperation({ summary: 'End a change of many records; what is done stays' })
  @AnswersData(ToldBulkChange)
  @Throws('bulk_change_not_found', 'bulk_change_ended')
  async cancel(
    @CurrentAccount() principal: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: ToldBulkChange }> {
    return { data: await this.changes.cancel(principal, id) };
  }
}
