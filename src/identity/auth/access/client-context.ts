import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Where a request comes from, as far as a session remembers it and a limit counts it. */
export interface ClientContext {
  /** The client address, by `TRUST_PROXY` only. */
  readonly address: string;
  /** The `User-Agent`, cut to 255 characters; null where none was sent. */
  readonly device: string | null;
}

/** The {@link ClientContext} of the request. */
export const Client = createParamDecorator((_data: unknown, context: ExecutionContext): ClientContext => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const agent = request.headers['user-agent'];
  return { address: request.ip, device: agent === undefined ? null : [...agent].slice(0, 255).join('') };
});
