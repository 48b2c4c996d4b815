import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  type AuthenticatedRequest,
  CurrentAccount,
  RecordResource,
} from '../../identity/auth/access/access.decorators.js';
import { arrivingBytes } from '../../data/content/content.public.js';
import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AcceptsStream, ReadsInput } from '../../platform/http/input/accepts.decorators.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Unhurried } from '../../platform/http/server/foreground.service.js';
import { Operations } from '../../platform/operations/operations.service.js';
import { ImportRows } from './import-rows.service.js';
import { RECORD_IMPORT } from './record-import.js';
import { ApplyBody, FaultPage, FaultQuery, ImportStatus } from './record-imports.dto.js';
import { importStatus, RecordImports, type SentImport } from './record-imports.service.js';

@ApiTags('Imports')
@Controller('api/imports')
@Throws('import_not_found')
export class RecordImportsController {
  constructor(
    private readonly imports: RecordImports,
    private readonly operations: Operations,
    private readonly rows: ImportRows,
  ) {}

  @Post()
  @HttpCode(202)
  @RecordResource('content')
  @AcceptsStream({ packed: true })
  @ReadsInput('query')
  @ApiOperation({
    summary: 'Start an import: upload a file of records, which is checked in the background',
    description:
      '`POST /api/imports/{id}/apply` writes the records after the check. The other parameters are those of `POST /api/content/{schema}/import`.',
  })
  @ApiConsumes('text/csv', 'application/x-ndjson', 'application/json')
  @ApiQuery({ name: 'schema', description: 'Name or namespace of the schema.' })
  @ApiQuery({
    name: 'apply',
    required: false,
    schema: { type: 'boolean' },
    description: 'Writes the records after the check if there are no errors.',
  })
  @AnswersData(ImportStatus)
  @Throws('query_invalid', 'imports_pending', 'body_too_large', 'content_encoding_unsupported')
  async begin(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAccount() principal: AccountPrincipal,
  ): Promise<{ data: ImportStatus }> {
    const mediaType = request.raw.headers['content-type'] ?? '';
    const sent = sentImport(request.query as Readonly<Record<string, unknown>>, mediaType.slice(0, 255));
    const data = await this.imports.start(principal, sent, arrivingBytes(request));
    void reply.header('location', `/api/imports/${data.id}`);
    return { data };
  }

  @Get()
  @Unhurried()
  @RecordResource('content')
  @ApiOperation({ summary: 'List your imports, newest first' })
  @AnswersData([ImportStatus])
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: readonly ImportStatus[] }> {
    return { data: (await this.operations.list(userId, RECORD_IMPORT)).map(importStatus) };
  }

  @Get(':id')
  @Unhurried()
  @RecordResource('content')
  @ApiOperation({ summary: 'Get an import and its progress' })
  @AnswersData(ImportStatus)
  async get(@CurrentAccount() { userId }: AccountPrincipal, @Param('id') id: string): Promise<{ data: ImportStatus }> {
    return { data: importStatus(await this.operations.get(userId, RECORD_IMPORT, id)) };
  }

  @Get(':id/faults')
  @RecordResource('content')
  @ApiOperation({ summary: 'List the errors of an import by row, or download all with `format=csv`' })
  @AnswersData(FaultPage)
  async listFaults(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
    @Query() { format, cursor }: FaultQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ data: FaultPage } | Readable> {
    const { progress } = await this.operations.get(userId, RECORD_IMPORT, id);
    if (format !== 'csv') return { data: await this.rows.faultPage(id, progress.faults, cursor) };
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="faults.csv"',
      'cache-control': 'no-store',
    });
    return Readable.from(this.rows.faultFile(id), { objectMode: false });
  }

  @Post(':id/check')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Check the remaining rows again' })
  @AnswersData(ImportStatus)
  @Throws('import_not_ready')
  async check(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ImportStatus }> {
    return { data: await this.imports.check(principal, id) };
  }

  @Post(':id/apply')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Write the checked rows' })
  @AnswersData(ImportStatus)
  @Throws('import_not_ready', 'import_faulty', 'plan_changed')
  async apply(
    @CurrentAccount() principal: AccountPrincipal,
    @Param('id') id: string,
    @Body() { plan, skip_faulty: skipsFaulty = false }: ApplyBody,
  ): Promise<{ data: ImportStatus }> {
    return { data: await this.imports.apply(principal, id, plan, skipsFaulty) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RecordResource('content')
  @ApiOperation({ summary: 'Stop the import; written records remain' })
  @AnswersData(ImportStatus)
  @Throws('import_not_ready')
  async cancel(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
  ): Promise<{ data: ImportStatus }> {
    return { data: importStatus(await this.operations.cancel(userId, RECORD_IMPORT, id)) };
  }

  @Post(':id/undo')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Undo an import: delete its records that have not changed since' })
  @AnswersData(ImportStatus)
  @Throws('import_not_ready', 'import_not_undoable')
  async undo(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ImportStatus }> {
    return { data: await this.imports.undo(principal, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'Delete an import and its remaining rows' })
  @Throws('import_not_ready')
  async forget(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<void> {
    await this.imports.forget(principal, id);
  }
}

/** @throws AppError `query_invalid` */
function sentImport(parameters: Readonly<Record<string, unknown>>, mediaType: string): SentImport {
  const { schema, apply = 'false', dry_run: isDry, ...query } = parameters;
  const faults: FieldFault[] = [];
  if (typeof schema !== 'string') faults.push({ field: 'schema', code: 'required', message: 'is required' });
  if (apply !== 'true' && apply !== 'false')
    faults.push({ field: 'apply', code: 'malformed', message: 'must be true or false' });
  if (isDry !== undefined)
    faults.push({
      field: 'dry_run',
      code: 'unknown_parameter',
      message: 'is not supported here: every import in the background starts with a check',
    });
  if (faults.length > 0) throw new AppError('query_invalid', { details: { errors: faults } });
  return { schema: schema as string, appliesAutomatically: apply === 'true', query, mediaType };
}
