import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, type Observable, of } from 'rxjs';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { ErrorPage } from '../../platform/http/output/error-page.service.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { CliLoginService } from './cli-login.service.js';
import { AuthorizeQuery } from './initiate.dto.js';

/**
 * Shows errors of the authorization endpoint on an error page of this service. The redirect URI is not validated yet, so the browser must
 * not be sent to it.
 */
@Injectable()
class RefusalOnPage implements NestInterceptor {
  constructor(private readonly pages: ErrorPage) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (error instanceof AppError && error.status < 500 && this.pages.sendRefusal(request, reply, error))
          return of();
        throw error;
      }),
    );
  }
}

/** Authorization endpoint for web apps (RFC 6749 §4.1.1, RFC 7636). */
@ApiTags('Web app')
@Controller('api/auth')
export class AuthorizeController {
  constructor(private readonly logins: CliLoginService) {}

  @Get('authorize')
  @Public()
  @RateLimit('general')
  @UseInterceptors(RefusalOnPage)
  @ApiOperation({
    summary: 'Sign in to a web app (authorization code flow)',
    description:
      'The app sends the browser here. After the sign-in, the browser is redirected to `redirect_uri` with `code` and `state`. The app sends the code and its verifier to `exchange`.',
  })
  @ApiFoundResponse()
  @Throws('redirect_uri_not_allowed', 'cli_login_disabled', 'validation_failed')
  authorize(@Query() query: AuthorizeQuery, @Res() reply: FastifyReply): void {
    void reply.code(302).header('location', this.logins.authorize(query)).send();
  }
}
