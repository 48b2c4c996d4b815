import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RecordResource } from '../../identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Operations } from '../../platform/operations/operations.service.js';
import { BulkChangeBody, BulkChangeStatus } from './bulk-changes.dto.js';
import { BULK_CHANGE, BulkChanges, bulkChangeStatus } from './bulk-changes.service.js';

@ApiTags('Bulk changes')
@Controller('api/bulk-changes')
export class BulkChangesController {
  constructor(
    private readonly changes: BulkChanges,
    private readonly operations: Operations,
  ) {}

  @Post()
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({
    summary: 'Start a bulk change: update, delete or restore all records that match a filter',
    description:
      'Runs in the background, in batches, with one transaction per batch. Affects the records that match when it starts. A record that cannot be changed stops the bulk change.',
  })
  @AnswersData(BulkChangeStatus)
  @Throws('bulk_changes_pending', 'query_invalid', 'field_invalid', 'schema_not_found')
  async begin(
    @CurrentAccount() principal: AccountPrincipal,
    @Body() body: BulkChangeBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ data: BulkChangeStatus }> {
    const data = await this.changes.start(principal, body);
    void reply.header('location', `/api/bulk-changes/${data.id}`);
    return { data };
  }

  @Get()
  @RecordResource('content')
  @ApiOperation({ summary: 'List your bulk changes, newest first' })
  @AnswersData([BulkChangeStatus])
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: readonly BulkChangeStatus[] }> {
    return { data: (await this.operations.list(userId, BULK_CHANGE)).map(bulkChangeStatus) };
  }

  @Get(':id')
  @RecordResource('content')
  @ApiOperation({ summary: 'Get a bulk change and its progress' })
  @AnswersData(BulkChangeStatus)
  @Throws('bulk_change_not_found')
  async get(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: BulkChangeStatus }> {
    return { data: bulkChangeStatus(await this.operations.get(userId, BULK_CHANGE, id)) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RecordResource('content')
  @ApiOperation({ summary: 'Cancel a bulk change; changes that are done remain' })
  @AnswersData(BulkChangeStatus)
  @Throws('bulk_change_not_found', 'bulk_change_ended')
  async cancel(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: BulkChangeStatus }> {
    return { data: bulkChangeStatus(await this.operations.cancel(userId, BULK_CHANGE, id)) };
  }
}
