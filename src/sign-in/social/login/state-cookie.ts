import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieScope } from '../../../platform/http/http.public.js';
import { randomToken } from '../../../kernel/keys/random.js';

/** Time that a login may take at its provider (CONTRACT §4). */
export const STATE_LIFETIME_SECONDS = 600;

const BINDING = /^[\w-]{43}$/;

/**
 * The state cookie: a random value that stays in the browser, so that a login can only be completed where it began
 * (specification, "Authentication", 10). One a provider, whose name it bears; over https it is tied to this very host.
 */
export class StateCookie {
  private readonly name: string;

  constructor(
    provider: string,
    private readonly scope: CookieScope,
  ) {
    this.name = scope.nameOf(`oauth_state_${provider}`);
  }

  /** Returns the value that the browser sent, or null if there is none that could be ours. */
  find(request: FastifyRequest): string | null {
    const value = request.cookies[this.name];
    return value !== undefined && BINDING.test(value) ? value : null;
  }

  /** Returns the value that the browser sent, so that two tabs can sign in at once, or a new one. */
  findOrMake(request: FastifyRequest): string {
    return this.find(request) ?? randomToken();
  }

  /** Gives the browser a value, or prolongs the one that it has. */
  give(reply: FastifyReply, value: string): void {
    void reply.setCookie(this.name, value, {
      path: this.scope.path,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.scope.secure,
      maxAge: STATE_LIFETIME_SECONDS,
    });
  }
}
