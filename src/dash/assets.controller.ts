import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/access.decorators.js';
import { AppError } from '../kernel/app-error.js';
import type { BuiltPages } from './built-pages.js';
import { BUILT_PAGES } from './page.service.js';

/** A year: what is under a name never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The files that the pages load. */
@Controller('dash/assets')
export class AssetsController {
  constructor(@Inject(BUILT_PAGES) private readonly pages: BuiltPages | null) {}

  @Get(['', '*'])
  @Public()
  asset(@Param('*') name: string | undefined, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const asset = this.pages?.assets.get(name ?? '');
    if (asset === undefined) throw new AppError('route_not_found');
    const packed = takesGzip(request) ? asset.packed() : null;
    const tag = `"${asset.tag}${packed === null ? '' : '-gzip'}"`;
    void reply.header('cache-control', FOR_EVER).header('vary', 'Accept-Encoding').header('etag', tag);
    if (knows(request, tag)) {
      void reply.code(304).send();
      return;
    }
    if (packed !== null) void reply.header('content-encoding', 'gzip');
    void reply.type(asset.type).send(packed ?? asset.content);
  }
}

function takesGzip({ headers }: FastifyRequest): boolean {
  const accepted = String(headers['accept-encoding'] ?? '').split(',');
  return accepted.some((entry) => /^\s*gzip\s*(;\s*q=(1(\.0*)?|0\.0*[1-9]\d*)\s*)?$/i.test(entry));
}

/** `If-None-Match`, compared weakly (RFC 9110 §13.1.2). */
function knows({ headers }: FastifyRequest, tag: string): boolean {
  const known = headers['if-none-match'];
  return (
    known !== undefined &&
    (known.trim() === '*' || known.split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag))
  );
}
