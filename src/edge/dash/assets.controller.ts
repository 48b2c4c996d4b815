import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { knowsTag, takesGzip } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/app-error.js';
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
    if (knowsTag(request, tag)) {
      void reply.code(304).send();
      return;
    }
    if (packed !== null) void reply.header('content-encoding', 'gzip');
    void reply.type(asset.type).send(packed ?? asset.content);
  }
}
