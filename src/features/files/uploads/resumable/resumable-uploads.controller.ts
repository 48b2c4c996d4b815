import type { Readable } from 'node:stream';
import { Controller, Delete, Head, HttpCode, Options, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  type AuthenticatedRequest,
  CurrentPrincipal,
  Public,
  RecordResource,
} from '../../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../../identity/auth/auth.public.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { AcceptsStream } from '../../../../platform/http/input/accepts.decorators.js';
import { Throws } from '../../../../platform/http/output/documentation.decorators.js';
import { ResumableUploads, type ResumableRequest, type UploadState } from './resumable-uploads.service.js';
import { assertPartType, assertTus, TUS } from './tus-headers.js';

const ENDINGS = ['file_type_not_allowed', 'checksum_mismatch', 'quota_exceeded', 'storage_full'] as const;

/** Resumable uploads with tus 1.0 (CONTRACT §12): https://tus.io/protocols/resumable-upload */
@ApiTags('Files')
@Controller('api/files/uploads')
export class ResumableUploadsController {
  constructor(private readonly uploads: ResumableUploads) {}

  @Options()
  @Public()
  @HttpCode(204)
  @ApiOperation({ summary: 'What of tus is spoken' })
  options(@Res({ passthrough: true }) reply: FastifyReply): void {
    void reply.headers({ 'tus-resumable': TUS.version, 'tus-version': TUS.version, 'tus-extension': TUS.extensions });
  }

  @Post()
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Begin a resumable upload (tus); its id is that of the file' })
  @Throws('permission_denied', 'validation_failed', 'upload_version', 'file_too_large', ...ENDINGS)
  async create(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
  ): Promise<void> {
    const { id, ...state } = await this.uploads.create(requestOf(request, reply, principal));
    void reply.headers({ ...headersOf(state), location: `/api/files/uploads/${id}` });
  }

  @Head(':id')
  @RecordResource('content')
  @ApiOperation({ summary: 'How much of a resumable upload is there' })
  @Throws('file_not_found', 'upload_version')
  async state(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    void reply.headers(headersOf(await this.uploads.state(requestOf(request, reply, principal), id)));
  }

  @Patch(':id')
  @HttpCode(204)
  @RecordResource('content')
  @AcceptsStream()
  @ApiOperation({ summary: 'Go on with a resumable upload; with its last byte the file is there' })
  @Throws(
    'file_not_found',
    'upload_offset',
    'upload_incomplete',
    'upload_version',
    'file_too_large',
    'content_type_unsupported',
    ...ENDINGS,
  )
  async append(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    const sent = requestOf(request, reply, principal);
    assertPartType(sent.headers);
    void reply.headers(headersOf(await this.uploads.append(sent, id, request.body as Readable)));
  }

  @Delete(':id')
  @HttpCode(204)
  @RecordResource('content')
  @ApiOperation({ summary: 'End a resumable upload' })
  @Throws('file_not_found', 'upload_version')
  async remove(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    requestOf(request, reply, principal);
    await this.uploads.remove(principal, id);
  }
}

/** Sets the headers of every response, including errors. @throws AppError `upload_version`. */
function requestOf(request: AuthenticatedRequest, reply: FastifyReply, principal: Principal): ResumableRequest {
  const { headers } = request.raw;
  void reply.headers({ 'tus-resumable': TUS.version, 'tus-version': TUS.version, 'cache-control': 'no-store' });
  assertTus(headers);
  return { principal, origin: originOf(request), headers };
}

function headersOf({ position, size, expiresAt }: UploadState): Record<string, string> {
  const expires: Record<string, string> = expiresAt === null ? {} : { 'upload-expires': expiresAt.toUTCString() };
  return { 'upload-offset': String(position), 'upload-length': String(size), ...expires };
}
