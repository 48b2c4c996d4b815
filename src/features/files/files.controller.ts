import type { Readable } from 'node:stream';
import { Controller, Param, Post, Put, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type AuthenticatedRequest,
  CurrentPrincipal,
  RecordResource,
} from '../../identity/auth/access/access.decorators.js';
import { originOf } from '../../identity/auth/auth.public.js';
import type { Principal } from '../../kernel/principal.types.js';
import { AcceptsStream } from '../../platform/http/accepts.decorators.js';
import { AnswersData, Throws } from '../../platform/http/documentation.decorators.js';
import { linkTarget, SentFile, UploadQuery } from './files.dto.js';
import { type UploadRequest, Uploads } from './uploads.service.js';

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

/** Files of records (CONTRACT §12). */
@ApiTags('Files')
@Controller('api/files')
export class FilesController {
  constructor(private readonly uploads: Uploads) {}

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
}

function uploadOf(request: AuthenticatedRequest, principal: Principal): UploadRequest {
  return { principal, origin: originOf(request), headers: request.raw.headers, body: request.body as Readable };
}
