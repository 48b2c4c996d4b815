import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { isForPage } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/errors/app-error.js';

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
