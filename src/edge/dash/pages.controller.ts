import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { BuiltPages } from './built-pages.js';
import { BUILT_PAGES, PageService } from './page.service.js';
import { isForPage } from '../../platform/http/http.public.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';

/** Paths of the web application. They must equal those in `dash/src/app/router.tsx` and beside it, which a contract test checks. */
export const PAGES: ReadonlySet<string> = new Set([
  '',
  'access',
  'account',
  'activate',
  'invitation',
  'login',
  'model',
  'model/$schema',
  'people',
  'people/$id',
  'recover',
  'records',
  'records/$schema',
  'records/$schema/$id',
  'register',
  'service',
  'service-accounts',
  'setup',
]);

/** In the router's syntax, `$` starts a path parameter. */
const PATTERNS = [...PAGES].map((page) => new RegExp(`^${page.replaceAll(/\$\w+/g, '[^/]+')}$`));

@ApiExcludeController()
@Controller('dash')
export class PagesController {
  constructor(private readonly pages: PageService) {}

  @Get(['', '*'])
  @Public()
  page(@Param('*') name: string | undefined, @Query('cli') carrier: unknown, @Res() reply: FastifyReply): void {
    const page = (name ?? '').replace(/\/$/, '');
    if (!PATTERNS.some((pattern) => pattern.test(page))) throw new AppError('route_not_found');
    this.pages.send(reply, carrier);
  }
}

/** Redirects browsers from `/` to the web application. Other clients get 404. */
@ApiExcludeController()
@Controller()
export class RootController {
  @Get()
  @Public()
  root(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!isForPage(request)) throw new AppError('route_not_found');
    void reply.code(302).header('location', '/dash').header('vary', 'Accept').send();
  }
}

/** Serves the reference page. It contains no data: the browser loads the document. */
@ApiTags('Service')
@Controller('api/docs')
export class ReferenceController {
  constructor(private readonly pages: PageService) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Get the API reference page' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @Throws('route_not_found')
  page(@Res() reply: FastifyReply): void {
    this.pages.sendReference(reply);
  }
}

/**
 * Serves the targets of links in mails. The page reads the token from the URL and waits for a click. Loading the page consumes nothing,
 * because mail scanners also open links.
 */
@ApiExcludeController()
@Controller('auth')
export class EmailPagesController {
  constructor(private readonly pages: PageService) {}

  @Get(['local/email/confirm', 'local/email/cancel', 'credentials/revoke'])
  @Public()
  page(@Res() reply: FastifyReply): void {
    this.pages.send(reply);
  }
}

/** The pages for activation and recovery. They do not exist in federated-only mode. */
@ApiExcludeController()
@Controller('auth/local')
export class SelfServicePagesController {
  constructor(private readonly pages: PageService) {}

  @Get(['activate', 'recover'])
  @Public()
  page(@Res() reply: FastifyReply): void {
    this.pages.send(reply);
  }
}

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
