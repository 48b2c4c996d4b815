import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { MAILED_TOKEN_ERRORS } from '../../identity/secrets/one-time-secrets.errors.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REGISTRATION_ERRORS } from '../../identity/registration-policy/registration-policy.errors.js';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { AcceptsForm } from '../../platform/http/input/accepts.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { toCallbackQuery } from './login/callback-parameters.js';
import type { LoginRedirect } from './login/login-redirect.js';
import { LoginCompletion } from './login/login-completion.service.js';
import { type LoginQuery, LoginStart } from './login/login-start.service.js';
import { StateCookie } from './login/state-cookie.js';

const CALLBACK_ERRORS = [
  'provider_not_found',
  'provider_denied',
  'provider_failed',
  'provider_unavailable',
  'state_invalid',
  'email_not_verified',
  'email_unusable',
  'email_taken_by_other_method',
  'account_inactive',
  'identity_taken',
  'mfa_required',
  ...REGISTRATION_ERRORS,
] as const;

/** Sign-in by a provider: redirect to it and callback. */
@ApiTags('Provider')
@Controller('api/auth')
export class SocialController {
  constructor(
    private readonly start: LoginStart,
    private readonly completion: LoginCompletion,
  ) {}

  @Get(':provider/login')
  @Public()
  @RateLimit('general')
  @ApiOperation({ summary: 'Start a sign-in with a provider', description: 'Redirects the browser to the provider.' })
  @ApiQuery({
    name: 'code_challenge',
    required: false,
    description:
      'PKCE challenge (S256) of the page that starts the sign-in. The code can then be exchanged only with its `code_verifier`.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  })
  @ApiQuery({
    name: 'lang',
    required: false,
    type: String,
    description: 'Language of the pages, also after the return.',
  })
  @ApiQuery({ name: 'link', required: false, type: String, description: 'Token of a started link.' })
  @ApiQuery({ name: 'cli', required: false, type: String, description: 'Carrier of a native-app sign-in.' })
  @ApiFoundResponse()
  @Throws('provider_not_found', 'provider_unavailable', 'provider_failed', 'carrier_invalid', ...MAILED_TOKEN_ERRORS)
  async login(
    @Param('provider') provider: string,
    @Query() query: LoginQuery,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const cookie = new StateCookie(provider, request);
    const binding = cookie.findOrCreate();
    const isSameOrigin = (request.headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
    const redirect = await this.start.start(provider, query, { binding, isSameOrigin, client });
    if (redirect.refusal === null) cookie.set(reply, binding);
    send(redirect, request, reply);
  }

  @Get(':provider/callback')
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Callback of the provider',
    description: 'Redirects to `/dash/login#code=…` or to the native app, also for errors.',
  })
  @ApiFoundResponse()
  @Throws(...CALLBACK_ERRORS)
  async callback(
    @Param('provider') provider: string,
    @Query() parameters: unknown,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const binding = new StateCookie(provider, request).find();
    send(await this.completion.complete(provider, { parameters, binding, client }), request, reply);
  }

  /**
   * Handles a provider that posts a form from its page. Browsers do not send `SameSite=Lax` cookies with such a request, so the browser is
   * redirected to the GET callback with the same parameters.
   */
  @Post(':provider/callback')
  @Public()
  @RateLimit('general')
  @AcceptsForm()
  @ApiOperation({ summary: 'Callback of providers that use `form_post`' })
  @ApiFoundResponse()
  @ApiSeeOtherResponse()
  @Throws(...CALLBACK_ERRORS)
  async posted(
    @Param('provider') provider: string,
    @Body() parameters: unknown,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const binding = new StateCookie(provider, request).find();
    if (binding !== null) return this.callback(provider, parameters, client, request, reply);
    const address = `/api/auth/${encodeURIComponent(provider)}/callback?${toCallbackQuery(parameters)}`;
    void reply.code(303).header('location', address).send();
  }
}

/** Redirects browsers to the next page, also with an error. Other clients get the error as JSON. */
function send({ location, refusal }: LoginRedirect, request: FastifyRequest, reply: FastifyReply): void {
  const isBrowser = request.headers.accept?.includes('text/html') === true;
  if (refusal !== null && !isBrowser) throw refusal;
  void reply.code(302).header('location', location).send();
}
