import { Controller, Delete, Head, HttpCode, Options, Param, Patch, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public, RecordResource } from '../../../../identity/auth/access/access.decorators.js';
import { AcceptsStream } from '../../../../platform/http/input/accepts.decorators.js';
import { Throws } from '../../../../platform/http/output/documentation.decorators.js';
import type { UploadRequest } from '../upload-request.js';
import { ResumableUploads, type UploadState } from './resumable-uploads.service.js';
import { assertPartType, TUS, TusRequest } from './tus-headers.js';

const TERMINAL_ERRORS = ['file_type_not_allowed', 'checksum_mismatch', 'quota_exceeded', 'storage_full'] as const;

/** Resumable uploads with tus 1.0: https://tus.io/protocols/resumable-upload */
@ApiTags('Files')
@Controller('api/files/uploads')
export class ResumableUploadsController {
  constructor(private readonly uploads: ResumableUploads) {}

  @Options()
  @Public()
  @HttpCode(204)
  @ApiOperation({ summary: 'Get the supported tus version and extensions' })
  options(@Res({ passthrough: true }) reply: FastifyReply): void {
    void reply.headers({ 'tus-resumable': TUS.version, 'tus-version': TUS.version, 'tus-extension': TUS.extensions });
  }

  @Post()
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Start a resumable upload (tus)' })
  @Throws('permission_denied', 'validation_failed', 'upload_version', 'file_too_large', ...TERMINAL_ERRORS)
  async create(@TusRequest() request: UploadRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    const { id, ...state } = await this.uploads.create(request);
    void reply.headers({ ...headersOf(state), location: `/api/files/uploads/${id}` });
  }

  @Head(':id')
  @RecordResource('content')
  @ApiOperation({ summary: 'Get the offset of a resumable upload' })
  @Throws('file_not_found', 'upload_version')
  async state(
    @TusRequest() request: UploadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    void reply.headers(headersOf(await this.uploads.state(request, id)));
  }

  @Patch(':id')
  @HttpCode(204)
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Send a part of a resumable upload; the last part completes the file' })
  @Throws(
    'file_not_found',
    'upload_offset',
    'upload_incomplete',
    'upload_version',
    'file_too_large',
    'content_type_unsupported',
    ...TERMINAL_ERRORS,
  )
  async append(
    @TusRequest() request: UploadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    assertPartType(request.headers);
    void reply.headers(headersOf(await this.uploads.append(request, id)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'Cancel a resumable upload' })
  @Throws('file_not_found', 'upload_version')
  async remove(@TusRequest() { principal }: UploadRequest, @Param('id') id: string): Promise<void> {
    await this.uploads.remove(principal, id);
  }
}

function headersOf({ position, size, expiresAt }: UploadState): Record<string, string> {
  const expires: Record<string, string> = expiresAt === null ? {} : { 'upload-expires': expiresAt.toUTCString() };
  return { 'upload-offset': String(position), 'upload-length': String(size), ...expires };
}
