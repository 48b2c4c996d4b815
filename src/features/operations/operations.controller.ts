import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, RecordResource } from '../../identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Unhurried } from '../../platform/http/server/foreground.service.js';
import { type Operation, operationFacts, OperationFacts } from '../../platform/operations/operations.public.js';
import { Operations } from '../../platform/operations/operations.service.js';

const ALL = { name: null, errors: { missing: 'operation_not_found', ended: 'operation_ended' } } as const;

/** A long-running operation of any kind. The routes of that kind return further details. */
export class ListedOperation extends OperationFacts {
  @ApiProperty({ description: 'Kind of the operation, such as `record.import`.' }) readonly kind: string;
  @ApiProperty({ description: 'State, as defined by the kind. All kinds have `done`, `stopped` and `cancelled`.' })
  readonly state: string;
  @ApiProperty({ type: 'integer', description: 'Number of records to process.' }) readonly total: number;
  @ApiProperty({ type: 'integer', description: 'Number of processed records.' }) readonly done: number;
}

/** The operations of the caller's account. */
@ApiTags('Operations')
@Controller('api/operations')
export class OperationsController {
  constructor(private readonly operations: Operations) {}

  @Get()
  @Unhurried()
  @RecordResource('operations')
  @ApiOperation({ summary: 'List your long operations, newest first', description: 'Imports and bulk changes.' })
  @AnswersData([ListedOperation])
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: readonly ListedOperation[] }> {
    return { data: (await this.operations.list(userId, ALL)).map(toListedOperation) };
  }

  @Get(':id')
  @Unhurried()
  @RecordResource('operations')
  @ApiOperation({ summary: 'Get the progress of a long operation' })
  @AnswersData(ListedOperation)
  @Throws('operation_not_found')
  async get(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: ListedOperation }> {
    return { data: toListedOperation(await this.operations.get(userId, ALL, id)) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RecordResource('operations')
  @ApiOperation({ summary: 'Cancel a running operation', description: 'Completed changes are kept.' })
  @AnswersData(ListedOperation)
  @Throws('operation_not_found', 'operation_ended')
  async cancel(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: ListedOperation }> {
    return { data: toListedOperation(await this.operations.cancel(userId, ALL, id)) };
  }
}

function toListedOperation(operation: Operation): ListedOperation {
  const { kind, state, total, done } = operation;
  return { ...operationFacts(operation), kind, state, total, done };
}
