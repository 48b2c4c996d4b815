import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../../kernel/errors/app-error.js';
import { isForPage } from './negotiation.js';

/** Sends an error page; the status is already set. Without an error code it is the 404 page. */
type Show = (reply: FastifyReply, code: string | null) => void;

/** Sends browsers an error page instead of the JSON envelope, if a feature provides pages. */
@Injectable()
export class ErrorPage {
  private show: Show | null = null;

  provide(show: Show): void {
    this.show = show;
  }

  /** Sends the 404 page if a browser requests a page. Routes under `/api` always answer with the envelope. */
  send(request: FastifyRequest, reply: FastifyReply): boolean {
    const path = request.url.split('?', 1)[0] ?? '';
    if (this.show === null || path === '/api' || path.startsWith('/api/') || !isForPage(request)) return false;
    this.show(reply.code(404), null);
    return true;
  }

  /** Sends an error page if a browser requests a page, for routes that users open by a link. Returns whether it was sent. */
  sendRefusal(request: FastifyRequest, reply: FastifyReply, { status, code }: AppError): boolean {
    if (this.show === null || !isForPage(request)) return false;
    this.show(reply.code(status), code);
    return true;
  }
}
