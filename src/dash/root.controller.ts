import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/access.decorators.js';
import { AppError } from '../kernel/app-error.js';

/** The bare address: a person in a browser is shown the way in, everybody else is told that there is nothing. */
@Controller()
export class RootController {
  @Get()
  @Public()
  root(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): void {
    if (headers.accept?.includes('text/html') !== true) throw new AppError('route_not_found');
    void reply.code(302).header('location', '/dash').header('vary', 'Accept').send();
  }
}
