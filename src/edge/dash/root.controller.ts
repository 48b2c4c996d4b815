import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { isForPage } from '../../platform/http/http.public.js';
import { AppError } from '../../kernel/errors/app-error.js';

/** The bare address: a person in a browser is shown the way in, everybody else is told that there is nothing. */
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
