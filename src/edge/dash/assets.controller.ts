import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { BuiltPages } from './built-pages.js';
import { BUILT_PAGES } from './page.service.js';

/** A year: what is under a name never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The files that the pages load. */
@ApiExcludeController()
@Controller('dash/assets')
export class AssetsController {
  constructor(@Inject(BUILT_PAGES) private readonly pages: BuiltPages | null) {}

  @Get(['', '*'])
  @Public()
  asset(@Param('*') name: string | undefined, @Res() reply: FastifyReply): void {
    // Only names that were there at the start: nothing of the address becomes a path.
    if (this.pages === null || name === undefined || !this.pages.assets.has(name))
      throw new AppError('route_not_found');
    void reply
      .header('cache-control', FOR_EVER)
      .header('vary', 'Accept-Encoding')
      .sendFile(name, this.pages.directory, { cacheControl: false });
  }
}
