import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, RecordResource } from '../../identity/auth/access/access.decorators.js';
import type { Principal } from '../../kernel/principal.types.js';
import { AcceptsStream } from '../../platform/http/input/accepts.decorators.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { FileDelivery } from './delivery/file-delivery.service.js';
import { AddressBody, FileQuery, linkTarget, SignedAddress, SentFile, UploadQuery } from './files.dto.js';
import { SignedAddresses } from './delivery/signed-addresses.service.js';
import { SentUpload, type UploadRequest } from './uploads/upload-request.js';
import { UploadSessions } from './uploads/upload-sessions.service.js';

const HOUR_SECONDS = 3_600;
const BYTES = { schema: { type: 'string', format: 'binary' } };
const REFUSALS = [
  'file_too_large',
  'file_type_not_allowed',
  'checksum_mismatch',
  'upload_incomplete',
  'upload_expired',
  'quota_exceeded',
  'storage_full',
] as const;

const READ_REFUSALS = [
  'file_not_found',
  'file_held',
  'image_invalid',
  'query_invalid',
  'validation_failed',
  'precondition_failed',
  'server_busy',
] as const;

@ApiTags('Files')
@Controller('api/files')
export class FilesController {
  constructor(
    private readonly uploads: UploadSessions,
    private readonly delivery: FileDelivery,
    private readonly addresses: SignedAddresses,
  ) {}

  @Post()
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Upload a file and link it to a record' })
  @ApiConsumes('application/octet-stream', 'multipart/form-data')
  @ApiBody(BYTES)
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'permission_denied', 'record_not_found', 'field_invalid', 'validation_failed')
  async create(@SentUpload() request: UploadRequest, @Query() query: UploadQuery): Promise<{ data: SentFile }> {
    return { data: await this.uploads.create(request, linkTarget(query)) };
  }

  @Put(':id')
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Replace the content of a file' })
  @ApiConsumes('application/octet-stream', 'multipart/form-data')
  @ApiBody(BYTES)
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'permission_denied', 'file_not_found', 'validation_failed')
  async replace(@SentUpload() request: UploadRequest, @Param('id') id: string): Promise<{ data: SentFile }> {
    return { data: await this.uploads.replace(request, id) };
  }

  @Get(':id')
  @RecordResource('content')
  @ApiOperation({
    summary: 'Download a file',
    description:
      'Requires the action `get` on the file record, or read access to a record and the field that links it. Supports range requests.',
  })
  @ApiOkResponse({ content: { 'application/octet-stream': BYTES } })
  @Throws(...READ_REFUSALS)
  async read(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: FileQuery,
  ): Promise<void> {
    await this.delivery.send(principal, { ...query, id }, request, reply);
  }

  @Get(':id/:name')
  @RecordResource('content')
  @ApiOperation({
    summary: 'Download a file under a name',
    description: 'The name is only a suggestion for saving the file. Any name is accepted.',
  })
  @ApiOkResponse({ content: { 'application/octet-stream': BYTES } })
  @Throws(...READ_REFUSALS)
  async readNamed(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: FileQuery,
  ): Promise<void> {
    await this.delivery.send(principal, { ...query, id }, request, reply);
  }

  @Post(':id/url')
  @HttpCode(200)
  @RecordResource('content')
  @ApiOperation({ summary: 'Create a signed URL for a file' })
  @AnswersData(SignedAddress)
  @Throws('file_not_found', 'file_held')
  async sign(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() { expires_in, disposition, session, size }: AddressBody,
  ): Promise<{ data: SignedAddress }> {
    const expiresInSeconds = expires_in ?? HOUR_SECONDS;
    const isSaved = disposition === 'attachment';
    const options = { expiresInSeconds, isSaved, expiresWithSession: session === true, size: size ?? null };
    return { data: await this.addresses.sign(principal, id, options) };
  }
}
