import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieScope } from '../../../platform/http/http.public.js';
import { randomToken } from '../../../kernel/keys/random.js';

/** Time limit for a login at its provider. */
export const STATE_LIFETIME_SECONDS = 600;

const BINDING = /^[\w-]{43}$/;

/**
 * The state cookie: a random value, so that a login can only be completed in the browser that started it. Each
 * provider has one cookie. Over https the cookie is bound to this host.
 */
export class StateCookie {
  private readonly scope: CookieScope;
  private readonly name: string;

  constructor(
    provider: string,
    private readonly request: FastifyRequest,
  ) {
    this.scope = request.server.cookieScope;
    this.name = this.scope.nameOf(`oauth_state_${provider}`);
  }

  find(): string | null {
    const value = this.request.cookies[this.name];
    return value !== undefined && BINDING.test(value) ? value : null;
  }

  /** Reuses an existing value, so that two tabs can sign in at the same time. */
  findOrCreate(): string {
    return this.find() ?? randomToken();
  }

  /** Sets the cookie, or extends its lifetime. */
  set(reply: FastifyReply, value: string): void {
    this.scope.set(reply, this.name, value, STATE_LIFETIME_SECONDS);
  }
}
