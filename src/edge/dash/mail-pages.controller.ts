import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { PageService } from './page.service.js';

/**
 * Serves the targets of links in mails. The page reads the token from the URL and waits for a click. Loading the page consumes nothing,
 * because mail scanners also open links (THREATS, "One-time secrets").
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
