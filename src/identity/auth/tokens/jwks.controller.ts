import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Public } from '../access/access.decorators.js';
import type { PublicTokenKey } from './access-token.format.js';
import { AccessTokens } from './access-tokens.service.js';

const KEY_FORM = {
  type: 'object',
  required: ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
  properties: Object.fromEntries(['kty', 'crv', 'x', 'kid', 'alg', 'use'].map((name) => [name, { type: 'string' }])),
};

/** A set of keys (RFC 7517 §5). */
export class JsonWebKeySet {
  @ApiProperty({
    type: 'array',
    items: KEY_FORM as object,
    description: 'The public keys. Empty if tokens are signed with HS256.',
  })
  readonly keys: readonly PublicTokenKey[];
}

@ApiTags('Account')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly tokens: AccessTokens) {}

  @Get('jwks.json')
  @Header('cache-control', 'public, max-age=300')
  @Public()
  @ApiOperation({
    summary: 'Get the public keys of access tokens (JWKS)',
    description: 'Contains keys only with `AUTH_TOKEN_ALG=EdDSA`.',
  })
  @ApiOkResponse({ type: JsonWebKeySet })
  keys(): JsonWebKeySet {
    return { keys: this.tokens.publicKeys };
  }
}
