import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal, Principal } from '../../../kernel/principal.types.js';
import type { AuthenticatedRequest } from '../access/access.decorators.js';
import { findToken, type PresentedToken } from './access-token.format.js';

const NAME = 'jwt';

/** Verifies a token of a request of one application. */
type Verify = (token: PresentedToken, request: FastifyRequest) => AccountPrincipal | Promise<AccountPrincipal>;

/** Running applications by their HTTP server. */
const applications = new Map<unknown, Verify>();

/**
 * For `@UseGuards(AuthGuard('jwt'))` in controllers of the application. Passport has one list of strategies for the process, so one strategy
 * serves all applications of it (ADR 0117).
 */
export class JwtStrategy extends PassportStrategy(Strategy, NAME) {
  /** Does not replace a strategy of the host application that has the same name. */
  static serve(server: unknown, verify: Verify): void {
    if (registered() === undefined) new JwtStrategy();
    applications.set(server, verify);
  }

  /** Removes the strategy with the last application, because the process keeps it otherwise. */
  static release(server: unknown): void {
    applications.delete(server);
    if (applications.size === 0 && registered() instanceof JwtStrategy) passport.unuse(NAME);
  }

  private constructor() {
    super({
      jwtFromRequest: (request: FastifyRequest) => findToken(request)?.token ?? null,
      secretOrKeyProvider: (_request: unknown, _token: unknown, done: (error: AppError) => void) =>
        done(new AppError('token_invalid')),
    });
  }

  /** Replaces the verification of passport-jwt, which supports no EdDSA and caches nothing. */
  override authenticate(request: unknown): void {
    this.validate(request as AuthenticatedRequest).then(
      (principal) => (principal?.kind === 'account' ? this.success(principal) : this.fail(401)),
      (error: Error) => this.error(error),
    );
  }

  /**
   * Returns the principal that the guards of the application found. On public routes, the application that received the request verifies
   * the token. Returns null without a token, and for another server of the process.
   */
  async validate(request: AuthenticatedRequest): Promise<Principal | null> {
    const verify = applications.get(request.server);
    if (verify === undefined) return null;
    if (request.user !== undefined) return request.user;
    const token = findToken(request);
    return token === null ? null : verify(token, request);
  }
}

/** The types of passport lack this method. */
function registered(): unknown {
  return (passport as unknown as { _strategy(name: string): unknown })._strategy(NAME);
}
