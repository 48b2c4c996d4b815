import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { BuiltPages } from './built-pages.js';
import { BUILT_PAGES } from './page.service.js';

/** One year. File names contain a content hash, so a file never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

@ApiExcludeController()
@Controller('dash/assets')
export class AssetsController {
  constructor(@Inject(BUILT_PAGES) private readonly pages: BuiltPages | null) {}

  @Get(['', '*'])
  @Public()
  asset(@Param('*') name: string | undefined, @Res() reply: FastifyReply): void {
    // Only names that existed at the start are served. The URL never becomes a path.
    if (this.pages === null || name === undefined || !this.pages.assets.has(name))
      throw new AppError('route_not_found');
    void reply
      .header('cache-control', FOR_EVER)
      .header('vary', 'Accept-Encoding')
      .sendFile(name, this.pages.directory, { cacheControl: false });
  }
}
