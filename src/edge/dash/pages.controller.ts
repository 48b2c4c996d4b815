import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { PageService } from './page.service.js';

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
