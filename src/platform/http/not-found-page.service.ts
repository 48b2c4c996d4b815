import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isForPage } from './negotiation.js';

/**
 * Shows a browser a page for an address that leads nowhere. Whoever has pages provides it; until then, and for everybody
 * who asks for no page, it is the envelope, under `/api` always.
 */
@Injectable()
export class NotFoundPage {
  private show: ((reply: FastifyReply) => void) | null = null;

  /** Sets what sends the page. */
  provide(show: (reply: FastifyReply) => void): void {
    this.show = show;
  }

  /** Sends the page if there is one and a browser asks for it. Answers whether it was sent. */
  send(request: FastifyRequest, reply: FastifyReply): boolean {
    const path = request.url.split('?', 1)[0] ?? '';
    if (this.show === null || path === '/api' || path.startsWith('/api/') || !isForPage(request)) return false;
    this.show(reply);
    return true;
  }
}
