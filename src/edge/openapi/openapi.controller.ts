import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiNotModifiedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedRequest, RecordResource } from '../../identity/auth/access/access.decorators.js';
import { GUEST } from '../../kernel/principal.types.js';
import { matchesEtag, acceptsGzip } from '../../platform/http/http.public.js';
import { OpenApiDocuments } from './openapi-documents.service.js';

const ETAG = { ETag: { description: '`ETag` of the document.', schema: { type: 'string' as const } } };

/** The description of the API. The route is public, because it shows only operations that the caller can use. */
@ApiTags('Service')
@Controller('api')
export class OpenApiController {
  constructor(private readonly documents: OpenApiDocuments) {}

  @Get('openapi.json')
  @RecordResource('openapi')
  @ApiOperation({ summary: 'Get the OpenAPI document, limited to the routes and schemas that the caller can access' })
  @ApiHeader({ name: 'If-None-Match' })
  @ApiOkResponse({
    headers: ETAG,
    schema: {
      type: 'object',
      required: ['openapi', 'info', 'paths'],
      properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
    },
  })
  @ApiNotModifiedResponse({ description: 'Not modified.', headers: ETAG })
  async document(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body, tag, packed } = await this.documents.of(request.user ?? GUEST);
    const isPacked = acceptsGzip(request);
    const entityTag = `"${tag}${isPacked ? '-gzip' : ''}"`;
    void reply
      .header('cache-control', 'private, no-cache')
      .header('vary', 'Authorization, Cookie, Accept-Encoding')
      .header('etag', entityTag);
    if (matchesEtag(request, entityTag)) return void (await reply.code(304).send());
    void reply.header('content-type', 'application/json; charset=utf-8');
    if (isPacked) void reply.header('content-encoding', 'gzip');
    await reply.send(isPacked ? await packed() : body);
  }
}
