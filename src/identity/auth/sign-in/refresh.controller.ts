import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { requiredText } from '../../../platform/http/http.public.js';
import { Field } from '../../../platform/http/input/field.decorator.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { Public } from '../access/access.decorators.js';
import { DisabledWhen } from '../access/disabled-when.decorator.js';
import { SignInService, TokenSet } from './sign-in.service.js';

/** Body of `POST /api/auth/token/refresh`. */
export class RefreshDto {
  @Field(requiredText(200)) refresh_token: string;
}

/** Specification, "Session management". */
@ApiTags('Account')
@Controller('api/auth/token')
export class RefreshController {
  constructor(private readonly signIns: SignInService) {}

  @Post('refresh')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @DisabledWhen('refresh_disabled', ({ auth }) => !auth.refreshTokenEnabled)
  @ApiOperation({ summary: 'A new token set for a refresh token' })
  @ApiOkResponse({ type: TokenSet })
  @Throws('refresh_token_invalid', 'refresh_token_expired', 'refresh_token_reused')
  refresh(@Body() body: RefreshDto): Promise<TokenSet> {
    return this.signIns.refresh(body.refresh_token);
  }
}
