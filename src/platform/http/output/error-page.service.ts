import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../../kernel/errors/app-error.js';
import { isForPage } from './negotiation.js';

/** Sends a page that tells of a refusal; its status is set already. Without an error value it is for an address that leads nowhere. */
type Show = (reply: FastifyReply, code: string | null) => void;

/** Shows a browser a page in place of the envelope. Whoever has pages provides it; until then it is the envelope for everybody. */
@Injectable()
export class ErrorPage {
  private show: Show | null = null;

  /** Sets what sends the page. */
  provide(show: Show): void {
    this.show = show;
  }

  /**
   * Sends the page of an address that leads nowhere, if a browser asks for one. Under `/api` it is the envelope always.
   * Answers whether it was sent.
   */
  send(request: FastifyRequest, reply: FastifyReply): boolean {
    const path = request.url.split('?', 1)[0] ?? '';
    if (this.show === null || path === '/api' || path.startsWith('/api/') || !isForPage(request)) return false;
    this.show(reply.code(404), null);
    return true;
  }

  /** Sends the page of a refusal, if a browser asks for one, for routes that people are linked to. Answers whether it was sent. */
  sendRefusal(request: FastifyRequest, reply: FastifyReply, { status, code }: AppError): boolean {
    if (this.show === null || !isForPage(request)) return false;
    this.show(reply.code(status), code);
    return true;
  }
}
