import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { PageService } from './page.service.js';

/**
 * Serves the targets of links in mails. The page takes the token out of the address and waits for a click; asking for the page spends
 * nothing, because mail scanners open links too (THREATS, "One-time secrets").
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

/** The same for activation and recovery, which are not there in federated-only mode. */
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
