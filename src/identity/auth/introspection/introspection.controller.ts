import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppError } from '../../../kernel/errors/app-error.js';
import { GUEST } from '../../../kernel/principal.types.js';
import { AcceptsForm, IgnoresUnknown } from '../../../platform/http/input/accepts.decorators.js';
import { Field, requiredText } from '../../../platform/http/input/field.decorator.js';
import { type AuthenticatedRequest, RecordResource } from '../access/access.decorators.js';
import { RoleDirectory } from '../access/role-directory.js';
import { findToken } from '../tokens/access-token.format.js';
import { Introspection, TokenIntrospection } from './introspection.service.js';
import { defineLimit } from '../../../kernel/limits.js';

const INTROSPECTION = 'tokens.introspect';
const MAX_TOKEN_LENGTH = defineLimit(
  8_192,
  'Accounts',
  'characters of a token in an introspection request',
  'validation_failed',
);

/** Body of `POST /api/auth/introspect`. Other parameters are ignored (RFC 7662 §2.1). */
@IgnoresUnknown()
export class IntrospectDto {
  @Field(requiredText(MAX_TOKEN_LENGTH)) token: string;
}

/** Token introspection for other services (RFC 7662). */
@ApiTags('Account')
@Controller('api/auth/introspect')
export class IntrospectionController {
  constructor(
    private readonly tokens: TokenIntrospection,
    private readonly roles: RoleDirectory,
  ) {}

  @Post()
  @HttpCode(200)
  @RecordResource(INTROSPECTION)
  @AcceptsForm()
  @ApiOperation({
    summary: 'Introspect a token',
    description:
      'Returns whether a token is valid, and its permissions. Requires the permission `tokens.introspect`, unless the caller introspects its own token.',
  })
  @ApiOkResponse({ type: Introspection })
  async introspect(@Req() request: AuthenticatedRequest, @Body() { token }: IntrospectDto): Promise<Introspection> {
    await this.assertMayAsk(request, token);
    return this.tokens.introspect(token);
  }

  private async assertMayAsk(request: AuthenticatedRequest, token: string): Promise<void> {
    const principal = request.user ?? GUEST;
    const presented = findToken(request);
    if (presented?.from === 'header' && presented.token === token) return;
    if (await this.roles.isOpen(principal, INTROSPECTION)) return;
    throw new AppError(principal.kind === 'guest' ? 'token_missing' : 'permission_denied');
  }
}
