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
import { Unhurried } from '../../platform/http/server/unhurried.decorator.js';
import { RecordImportFaults } from './record-import-faults.service.js';
import { ApplyBody, FaultPage, FaultQuery, ToldImport } from './record-imports.dto.js';
import { RecordImports, type SentImport } from './record-imports.service.js';

@ApiTags('Imports')
@Controller('api/imports')
@Throws('import_not_found')
export class RecordImportsController {
  constructor(
    private readonly imports: RecordImports,
    private readonly faults: RecordImportFaults,
  ) {}

  @Post()
  @HttpCode(202)
  @RecordResource('content')
  @AcceptsStream({ packed: true })
  @ReadsInput('query')
  @ApiOperation({
    summary: 'Send records of a file; they are checked in the background, and written when you say so',
    description: 'The other parameters are those of `POST /api/content/{schema}/import`.',
  })
  @ApiConsumes('text/csv', 'application/x-ndjson', 'application/json')
  @ApiQuery({ name: 'schema', description: 'Its name or its namespace.' })
  @ApiQuery({
    name: 'apply',
    required: false,
    schema: { type: 'boolean' },
    description: 'Writes them at once if none has a fault.',
  })
  @AnswersData(ToldImport)
  @Throws('query_invalid', 'imports_pending', 'body_too_large', 'content_encoding_unsupported')
  async begin(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAccount() principal: AccountPrincipal,
  ): Promise<{ data: ToldImport }> {
    const mediaType = request.raw.headers['content-type'] ?? '';
    const sent = sentImport(request.query as Readonly<Record<string, unknown>>, mediaType.slice(0, 255));
    const data = await this.imports.begin(principal, sent, arrivingBytes(request));
    void reply.header('location', `/api/imports/${data.id}`);
    return { data };
  }

  @Get()
  @Unhurried()
  @RecordResource('content')
  @ApiOperation({ summary: 'Your imports, the newest first' })
  @AnswersData([ToldImport])
  async list(@CurrentAccount() principal: AccountPrincipal): Promise<{ data: readonly ToldImport[] }> {
    return { data: await this.imports.list(principal) };
  }

  @Get(':id')
  @Unhurried()
  @RecordResource('content')
  @ApiOperation({ summary: 'How far an import is' })
  @AnswersData(ToldImport)
  async get(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ToldImport }> {
    return { data: await this.imports.get(principal, id) };
  }

  @Get(':id/faults')
  @RecordResource('content')
  @ApiOperation({ summary: 'The faults of an import, by row; all of them as a file with `format=csv`' })
  @AnswersData(FaultPage)
  async listFaults(
    @CurrentAccount() principal: AccountPrincipal,
    @Param('id') id: string,
    @Query() { format, cursor }: FaultQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ data: FaultPage } | Readable> {
    const { faults } = await this.imports.get(principal, id);
    if (format !== 'csv') return { data: await this.faults.page(id, faults, cursor) };
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="faults.csv"',
      'cache-control': 'no-store',
    });
    return Readable.from(this.faults.file(id), { objectMode: false });
  }

  @Post(':id/check')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Check again what is not written yet' })
  @AnswersData(ToldImport)
  @Throws('import_not_ready')
  async check(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ToldImport }> {
    return { data: await this.imports.check(principal, id) };
  }

  @Post(':id/apply')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Write what was checked' })
  @AnswersData(ToldImport)
  @Throws('import_not_ready', 'import_faulty', 'plan_changed')
  async apply(
    @CurrentAccount() principal: AccountPrincipal,
    @Param('id') id: string,
    @Body() { plan, skip_faulty: skipsFaulty = false }: ApplyBody,
  ): Promise<{ data: ToldImport }> {
    return { data: await this.imports.apply(principal, id, plan, skipsFaulty) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RecordResource('content')
  @ApiOperation({ summary: 'End what goes on; what is written stays' })
  @AnswersData(ToldImport)
  @Throws('import_not_ready')
  async cancel(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ToldImport }> {
    return { data: await this.imports.cancel(principal, id) };
  }

  @Post(':id/undo')
  @HttpCode(202)
  @RecordResource('content')
  @ApiOperation({ summary: 'Delete the records that it has made, and that nobody has changed since' })
  @AnswersData(ToldImport)
  @Throws('import_not_ready', 'import_not_undoable')
  async undo(@CurrentAccount() principal: AccountPrincipal, @Param('id') id: string): Promise<{ data: ToldImport }> {
    return { data: await this.imports.undo(principal, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'Forget an import, with what is left of its rows' })
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
    faults.push({ field: 'dry_run', code: 'unknown_parameter', message: 'is how each of these imports begins' });
  if (faults.length > 0) throw new AppError('query_invalid', { details: { errors: faults } });
  return { schema: schema as string, appliesItself: apply === 'true', query, mediaType };
}
