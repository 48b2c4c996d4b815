import { type ExecutionContext, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { Authenticator } from '../access/authenticator.port.js';
import { takesEnrolment } from './enrolment.decorator.js';
import { MfaTokens } from './mfa-tokens.service.js';

const FIND = `SELECT u.email, array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
  FROM users u WHERE u.id = $1 AND u.activated AND u.credentials_version = $2 AND NOT u.second_factor`;

/** Only these routes read the token from the body. Other routes may use a field with this name. */
const ROUTES = /^\/api\/auth\/mfa\/(?:totp|passkeys)(?:\/|$)/;

/** Accepts the `mfa_token` of a sign-in that must add a second factor (CONTRACT §10), while the account has none. */
@Injectable()
export class EnrolmentAuthenticator extends Authenticator<string> {
  readonly name = 'enrolment';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
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
    if (!takesEnrolment(context.getHandler())) throw new AppError('token_missing');
    const { id: sessionId, userId, data } = await this.tokens.checkEnrolment(token);
    const values = [userId, data.credentialsVersion];
    const [account] = await this.dataSource.query<Pick<AccountPrincipal, 'email' | 'roleIds'>[]>(FIND, values);
    if (account === undefined) throw new AppError('mfa_token_invalid');
    return { kind: 'account', userId, sessionId, ...account, enrolment: token };
  }
}
