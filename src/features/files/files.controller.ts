import type { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type AuthenticatedRequest,
  CurrentPrincipal,
  RecordResource,
} from '../../identity/auth/access/access.decorators.js';
import { originOf } from '../../identity/auth/auth.public.js';
import type { Principal } from '../../kernel/principal.types.js';
import { AcceptsStream } from '../../platform/http/input/accepts.decorators.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { FileDelivery } from './delivery/file-delivery.service.js';
import { AddressBody, FileQuery, linkTarget, MadeAddress, SentFile, UploadQuery } from './files.dto.js';
import { SignedAddresses } from './delivery/signed-addresses.service.js';
import { type UploadRequest, Uploads } from './uploads/uploads.service.js';

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
    private readonly uploads: Uploads,
    private readonly delivery: FileDelivery,
    private readonly addresses: SignedAddresses,
  ) {}

  @Post()
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Send a file, and link it to a record' })
  @ApiConsumes('application/octet-stream', 'multipart/form-data')
  @ApiBody(BYTES)
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'permission_denied', 'record_not_found', 'field_invalid', 'validation_failed')
  async create(
    @Req() request: AuthenticatedRequest,
    @CurrentPrincipal() principal: Principal,
    @Query() query: UploadQuery,
  ): Promise<{ data: SentFile }> {
    return { data: await this.uploads.create(uploadOf(request, principal), linkTarget(query)) };
  }

  @Put(':id')
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Put other bytes in the place of those of a file' })
  @ApiConsumes('application/octet-stream', 'multipart/form-data')
  @ApiBody(BYTES)
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'permission_denied', 'file_not_found', 'validation_failed')
  async replace(
    @Req() request: AuthenticatedRequest,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<{ data: SentFile }> {
    return { data: await this.uploads.replace(uploadOf(request, principal), id) };
  }

  @Get(':id')
  @RecordResource('content')
  @ApiOperation({
    summary: 'Read a file, or a part of it',
    description:
      'For whoever may `get` its record, or may read a record that links it, over a field that they may read.',
  })
  @ApiOkResponse({ content: { 'application/octet-stream': BYTES } })
  @Throws(...READ_REFUSALS)
  async read(
    @Req() request: AuthenticatedRequest,
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
    summary: 'Read a file, or a part of it, under a name',
    description: 'The name is for people, and for what they save the file as; any name may stand there.',
  })
  @ApiOkResponse({ content: { 'application/octet-stream': BYTES } })
  @Throws(...READ_REFUSALS)
  async readNamed(
    @Req() request: AuthenticatedRequest,
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
  @ApiOperation({ summary: 'Make an address of a file that is good by itself, for a while' })
  @AnswersData(MadeAddress)
  @Throws('file_not_found', 'file_held')
  async sign(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() { expires_in, disposition, session, size }: AddressBody,
  ): Promise<{ data: MadeAddress }> {
    const expiresInSeconds = expires_in ?? HOUR_SECONDS;
    const isSaved = disposition === 'attachment';
    const options = { expiresInSeconds, isSaved, endsWithSession: session === true, size: size ?? null };
    return { data: await this.addresses.sign(principal, id, options) };
  }
}

function uploadOf(request: AuthenticatedRequest, principal: Principal): UploadRequest {
  return { principal, origin: originOf(request), headers: request.raw.headers, body: request.body as Readable };
}
