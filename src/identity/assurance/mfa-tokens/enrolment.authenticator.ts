import { applyDecorators, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { Authenticator } from '../../auth/access/authenticator.port.js';
import { ENROLMENT_TOKEN, MfaTokens } from './mfa-tokens.service.js';

const ACCEPTS_ENROLMENT_TOKEN = 'lintel:takes-enrolment';
const FIND = `SELECT u.email, array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
  FROM users u WHERE u.id = $1 AND u.activated AND u.credentials_version = $2 AND NOT u.second_factor`;

/** Only these routes read the token from the body. Other routes may use a field with this name. */
const ROUTES = /^\/api\/auth\/mfa\/(?:totp|passkeys)(?:\/|$)/;

/** Accepts the `mfa_token` of a sign-in that must add a second factor, while the account has none. */
@Injectable()
export class EnrolmentAuthenticator extends Authenticator<string> {
  readonly name = 'enrolment';

  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: MfaTokens,
  ) {
    super();
  }

  find({ body, routeOptions: { url } }: FastifyRequest): string | null {
    if (typeof body !== 'object' || body === null || url === undefined || !ROUTES.test(url)) return null;
    const { mfa_token: token } = body as { readonly mfa_token?: unknown };
    return typeof token === 'string' && token !== '' ? token : null;
  }

  async authenticate(token: string, context: ExecutionContext): Promise<AccountPrincipal> {
    if (Reflect.getMetadata(ACCEPTS_ENROLMENT_TOKEN, context.getHandler()) !== true)
      throw new AppError('token_missing');
    const { id: sessionId, userId, data } = await this.tokens.find(token, ENROLMENT_TOKEN);
    const values = [userId, data.credentialsVersion];
    const [account] = await this.dataSource.query<Pick<AccountPrincipal, 'email' | 'roleIds'>[]>(FIND, values);
    if (account === undefined) throw new AppError('mfa_token_invalid');
    return { kind: 'account', userId, sessionId, ...account, enrolment: token };
  }
}

/** Lets a route under `mfa/totp` or `mfa/passkeys` accept the `mfa_token` of an enrolment in place of a session. */
export function AcceptsEnrolmentToken(): MethodDecorator {
  return applyDecorators(
    SetMetadata(ACCEPTS_ENROLMENT_TOKEN, true),
    Throws('mfa_token_invalid', 'mfa_not_offered', 'address_unproven'),
  );
}
