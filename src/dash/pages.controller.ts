import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/access.decorators.js';
import { PageService } from './page.service.js';

/** The web application: every address under `/dash` is a page of it. */
@Controller('dash')
export class PagesController {
  constructor(private readonly pages: PageService) {}

  @Get(['', '*'])
  @Public()
  page(@Res() reply: FastifyReply, @Query('cli') carrier: unknown): void {
    this.pages.send(reply, carrier);
  }
}
