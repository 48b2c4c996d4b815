import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiNotModifiedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/documentation.decorators.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { pagePolicy } from '../dash/dash.public.js';
import { knowsTag } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/app-error.js';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('./page/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const ETAG = { ETag: { description: 'Of the text.', schema: { type: 'string' as const } } };

/** The reference page for people. It holds nothing itself: what it shows is the document that the browser asks for. */
@ApiTags('Service')
@Controller('api/docs')
export class ReferenceController {
  private readonly files = readReferencePage();

  @Get()
  @Public()
  @ApiOperation({ summary: 'The reference page' })
  @ApiHeader({ name: 'If-None-Match' })
  @ApiProduces('text/html')
  @ApiOkResponse({ headers: ETAG, schema: { type: 'string' } })
  @ApiNotModifiedResponse({ description: 'Still what the tag says.', headers: ETAG })
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send('docs.html', request, reply.header('content-security-policy', pagePolicy(null)));
  }

  @Get(':file')
  @Public()
  @ApiOperation({ summary: 'What the reference page loads' })
  @ApiHeader({ name: 'If-None-Match' })
  @ApiProduces('*/*')
  @ApiOkResponse({ headers: ETAG, schema: { type: 'string' } })
  @ApiNotModifiedResponse({ description: 'Still what the tag says.', headers: ETAG })
  @Throws('route_not_found')
  file(@Param('file') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(name, request, reply);
  }

  private send(name: string, request: FastifyRequest, reply: FastifyReply): void {
    const file = this.files.get(name);
    if (file === undefined) throw new AppError('route_not_found');
    void reply.header('cache-control', 'public, no-cache').header('etag', file.tag);
    if (knowsTag(request, file.tag)) void reply.code(304).send();
    else void reply.type(file.type).send(file.content);
  }
}

/** One file of the reference page. */
interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** Strong validator of the content (RFC 9110 §8.8.3). */
  readonly tag: string;
}

/** Reads the reference page: plain files that stand next to this one, in the sources as in the build. */
function readReferencePage(): ReadonlyMap<string, PageFile> {
  return new Map(
    readdirSync(FOLDER).flatMap((name): [string, PageFile][] => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      const content = readFileSync(join(FOLDER, name));
      return [
        [name, { type, content, tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }],
      ];
    }),
  );
}
