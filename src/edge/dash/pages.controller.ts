import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { PageService } from './page.service.js';

/** Names the addresses of the web application (`dash/src/app/router.tsx` and beside it; a contract test holds both equal). */
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

/** As the router has them: `$` begins a part that stands for any. */
const PATTERNS = [...PAGES].map((page) => new RegExp(`^${page.replaceAll(/\$\w+/g, '[^/]+')}$`));

/** The web application. */
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
