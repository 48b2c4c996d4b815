import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type AuthenticatedRequest,
  CurrentPrincipal,
  RecordResource,
} from '../../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../../identity/auth/auth.public.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../../platform/http/output/documentation.decorators.js';
import { announcedDirectUpload, CompleteBody, DirectBody, DirectUploadState } from './direct-uploads.dto.js';
import { DirectUploads } from './direct-uploads.service.js';
import { SentFile } from '../../files.dto.js';

const REFUSALS = ['permission_denied', 'validation_failed', 'upload_not_direct', 'service_unavailable'] as const;

@ApiTags('Files')
@Controller('api/files/direct')
export class DirectUploadsController {
  constructor(private readonly uploads: DirectUploads) {}

  @Post()
  @RecordResource('content')
  @ApiOperation({
    summary: 'Announce a file that goes straight to the bucket; its id is that of the file',
    description: 'Answers an address for each part, good for some minutes, one length and one SHA-256.',
  })
  @AnswersData(DirectUploadState)
  @Throws(...REFUSALS, 'file_too_large', 'quota_exceeded', 'storage_full')
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: DirectBody,
  ): Promise<{ data: DirectUploadState }> {
    return { data: await this.uploads.create(principal, announcedDirectUpload(body)) };
  }

  @Get(':id')
  @RecordResource('content')
  @ApiOperation({ summary: 'Which parts are in the bucket, and new addresses of those that are not' })
  @AnswersData(DirectUploadState)
  @Throws(...REFUSALS, 'file_not_found')
  async state(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<{ data: DirectUploadState }> {
    return { data: await this.uploads.state(principal, id) };
  }

  @Post(':id/complete')
  @RecordResource('content')
  @ApiOperation({ summary: 'Make the file of the parts that are in the bucket, and link it to its record' })
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'file_not_found', 'upload_incomplete', 'upload_offset', 'upload_expired', 'file_too_large')
  @Throws('file_type_not_allowed', 'checksum_mismatch', 'record_not_found', 'field_invalid', 'quota_exceeded')
  async complete(
    @Req() request: AuthenticatedRequest,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() { parts }: CompleteBody,
  ): Promise<{ data: SentFile }> {
    return { data: await this.uploads.complete({ principal, origin: originOf(request) }, id, parts) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'End an upload that goes straight to the bucket, and remove what is there of it' })
  @Throws('file_not_found')
  async remove(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    await this.uploads.remove(principal, id);
  }
}
