import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, RecordResource } from '../../../../identity/auth/access/access.decorators.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../../platform/http/output/documentation.decorators.js';
import { announcedDirectUpload, CompleteBody, DirectBody, DirectUploadState } from './direct-uploads.dto.js';
import { DirectUploads } from './direct-uploads.service.js';
import { SentFile } from '../../files.dto.js';
import { SentUpload, type UploadRequest } from '../upload-request.js';

const REFUSALS = ['permission_denied', 'validation_failed', 'upload_not_direct', 'service_unavailable'] as const;

@ApiTags('Files')
@Controller('api/files/direct')
export class DirectUploadsController {
  constructor(private readonly uploads: DirectUploads) {}

  @Post()
  @RecordResource('content')
  @ApiOperation({
    summary: 'Start a direct upload to the bucket',
    description:
      'Returns a presigned URL for each part, valid for some minutes and for the announced length and SHA-256. The id of the upload becomes the id of the file.',
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
  @ApiOperation({ summary: 'Get the state of a direct upload, with new URLs for missing parts' })
  @AnswersData(DirectUploadState)
  @Throws(...REFUSALS, 'file_not_found')
  async state(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<{ data: DirectUploadState }> {
    return { data: await this.uploads.state(principal, id) };
  }

  @Post(':id/complete')
  @RecordResource('content')
  @ApiOperation({ summary: 'Complete a direct upload and link the file to its record' })
  @AnswersData(SentFile)
  @Throws(...REFUSALS, 'file_not_found', 'upload_incomplete', 'upload_offset', 'upload_expired', 'file_too_large')
  @Throws('file_type_not_allowed', 'checksum_mismatch', 'record_not_found', 'field_invalid', 'quota_exceeded')
  async complete(
    @SentUpload() sender: UploadRequest,
    @Param('id') id: string,
    @Body() { parts }: CompleteBody,
  ): Promise<{ data: SentFile }> {
    return { data: await this.uploads.complete(sender, id, parts) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'Cancel a direct upload and delete its parts' })
  @Throws('file_not_found')
  async remove(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    await this.uploads.remove(principal, id);
  }
}
