import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { Public } from '../access/access.decorators.js';
import { BrowserSessions, BrowserToken } from './browser-session.service.js';

@ApiTags('Account')
@Controller('api/auth/token')
export class ResumeController {
  constructor(private readonly browsers: BrowserSessions) {}

  @Post('resume')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'An access token for the session of this browser',
    description:
      'For pages of this very origin, which sign in with `Lintel-Session: cookie`. The browser sends the cookie by itself; its refresh token is rotated.',
  })
  @ApiOkResponse({ type: BrowserToken })
  @Throws(
    'cross_site_request',
    'token_missing',
    'token_invalid',
    'token_expired',
    'refresh_token_invalid',
    'refresh_token_expired',
    'refresh_token_reused',
  )
  resume(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<BrowserToken> {
    return this.browsers.resume(request, reply);
  }
}
