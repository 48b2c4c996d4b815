import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { AcceptsForm } from '../../platform/http/accepts.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { callbackQuery } from './login/callback-parameters.js';
import type { LoginRedirect } from './login/login-redirect.js';
import { LoginCompletion } from './login/login-completion.service.js';
import { type LoginQuery, LoginStart } from './login/login-start.service.js';
import { StateCookie } from './login/state-cookie.js';

/** Signing in by a provider: a browser goes there and comes back (specification, "Social / federated login"). */
@Controller('api/auth')
export class SocialController {
  private readonly secure: boolean;

  constructor(
    private readonly start: LoginStart,
    private readonly completion: LoginCompletion,
    @Inject(CONFIG) { appUrl }: Config,
  ) {
    this.secure = appUrl.startsWith('https:');
  }

  @Get(':provider/login')
  @Public()
  @RateLimit('general')
  async login(
    @Param('provider') provider: string,
    @Query() query: LoginQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const cookie = new StateCookie(provider, this.secure);
    const binding = cookie.findOrMake(request);
    const fromElsewhere = (request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';
    const redirect = await this.start.begin(provider, query, { binding, fromElsewhere });
    if (redirect.refusal === null) cookie.give(reply, binding);
    send(redirect, request, reply);
  }

  @Get(':provider/callback')
  @Public()
  @RateLimit('general')
  async callback(
    @Param('provider') provider: string,
    @Query() parameters: unknown,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const binding = new StateCookie(provider, this.secure).find(request);
    send(await this.completion.complete(provider, { parameters, binding, client }), request, reply);
  }

  /**
   * The answer of a provider that posts a form from its own page. Browsers send no `SameSite=Lax` cookie along with that, so
   * the browser is asked to come once more by itself, with what it brought.
   */
  @Post(':provider/callback')
  @Public()
  @RateLimit('general')
  @AcceptsForm()
  async posted(
    @Param('provider') provider: string,
    @Body() parameters: unknown,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const binding = new StateCookie(provider, this.secure).find(request);
    if (binding !== null) return this.callback(provider, parameters, client, request, reply);
    const address = `/api/auth/${encodeURIComponent(provider)}/callback?${callbackQuery(parameters)}`;
    void reply.code(303).header('location', address).send();
  }
}

/** A browser is sent to the page that goes on, or that explains; anybody else is told the error. */
function send({ location, refusal }: LoginRedirect, request: FastifyRequest, reply: FastifyReply): void {
  const isBrowser = request.headers.accept?.includes('text/html') === true;
  if (refusal !== null && !isBrowser) throw refusal;
  void reply.code(302).header('location', location).send();
}
