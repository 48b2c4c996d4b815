import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Authenticators } from '../access/authenticators.service.js';
import type { BearerOfToken } from '../access/authenticator.port.js';
import type { RoutePatterns } from '../../../kernel/permission-rules.js';
import { RoleDirectory } from '../access/role-directory.js';

/** Errors of an invalid token. The response does not distinguish them. */
const NOT_ACTIVE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'token_missing',
  'token_invalid',
  'token_expired',
  'key_invalid',
  'key_expired',
  'key_address_refused',
]);

/** Response of token introspection (RFC 7662 §2.2). For an invalid token it contains only `active`. */
export class Introspection {
  @ApiProperty() readonly active: boolean;
  @ApiPropertyOptional({ format: 'uuid', description: 'Id of the account.' }) readonly sub?: string;
  @ApiPropertyOptional({ format: 'uuid', description: 'Id of the session, or of the API key.' })
  readonly sid?: string;
  @ApiPropertyOptional({ enum: ['access_token', 'api_key'] }) readonly token_type?: 'access_token' | 'api_key';
  @ApiPropertyOptional() readonly iss?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Expiration time. Missing for a key that does not expire.' })
  readonly exp?: number;
  @ApiPropertyOptional() readonly email?: string;
  @ApiPropertyOptional({ type: [String], description: 'Names of the roles.' }) readonly roles?: readonly string[];
  @ApiPropertyOptional({
    description:
      'Whether routes for any signed-in user are allowed. False for API keys, and if a required second factor is missing.',
  })
  readonly signed_in?: boolean;
  @ApiPropertyOptional({
    type: 'object',
    description: 'Currently allowed and denied resources, or prefixes of them. `deny` takes precedence.',
    properties: {
      allow: { type: 'array', items: { type: 'string' } },
      deny: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  })
  readonly permissions?: RoutePatterns;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Custom claims of the application.' })
  readonly claims?: Readonly<Record<string, unknown>>;
}

const INACTIVE: Introspection = { active: false };

@Injectable()
export class TokenIntrospection {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly authenticators: Authenticators,
    private readonly roles: RoleDirectory,
  ) {}

  async introspect(token: string): Promise<Introspection> {
    const bearer = await this.bearerOf(token);
    if (bearer?.principal.kind !== 'account') return INACTIVE;
    const { principal, expiresAtMs } = bearer;
    const { roles } = await this.roles.permissionsOf(principal);
    return {
      active: true,
      sub: principal.userId,
      sid: principal.sessionId,
      token_type: principal.key === undefined ? 'access_token' : 'api_key',
      iss: this.config.appUrl,
      ...(Number.isFinite(expiresAtMs) ? { exp: Math.floor(expiresAtMs / 1_000) } : {}),
      email: principal.email,
      roles,
      signed_in: await this.roles.isSignedIn(principal),
      permissions: await this.roles.routePatterns(principal),
      ...(principal.claims === undefined ? {} : { claims: principal.claims }),
    };
  }

  private async bearerOf(token: string): Promise<BearerOfToken | null> {
    try {
      for (const authenticator of this.authenticators.list) {
        const bearer = await authenticator.introspect(token);
        if (bearer !== null) return bearer;
      }
      return null;
    } catch (error) {
      if (error instanceof AppError && NOT_ACTIVE.has(error.code)) return null;
      throw error;
    }
  }
}
