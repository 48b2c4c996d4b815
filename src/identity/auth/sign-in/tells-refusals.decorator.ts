import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { catchError, from, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineAuditActions, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { originOf } from '../access/client-context.js';
import { ProofRefused } from './sign-in-method.port.js';

const ACTIONS = defineAuditActions('Links and codes', {
  'secret.refuse': 'Somebody came with a link or a code that is unknown, spent or expired: `purpose` says what for.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const PURPOSE = Symbol('purpose of the secret');
/** The error values of a secret that is not good. */
const REFUSALS: ReadonlySet<string> = new Set([
  'token_invalid',
  'token_expired',
  'code_invalid',
  'setup_token_invalid',
]);

/** Writes down that a secret was refused, in a transaction of its own: that of the route is undone. */
@Injectable()
class RefusalTelling implements NestInterceptor<unknown, unknown> {
  constructor(
    private readonly reflector: Reflector,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(catchError((error: unknown) => from(this.tell(context, error))));
  }

  private async tell(context: ExecutionContext, error: unknown): Promise<never> {
    // A proof that failed is told by the sign-in, with its account.
    if (error instanceof AppError && !(error instanceof ProofRefused) && REFUSALS.has(error.code)) {
      const purpose = this.reflector.get<string>(PURPOSE, context.getHandler());
      const origin = originOf(context.switchToHttp().getRequest<FastifyRequest>());
      const event = { action: 'secret.refuse', actor: 'guest', resource: 'secret', outcome: error.code } as const;
      const told = { ...event, origin, changes: factsOf({ purpose }), at: this.clock.now() };
      await this.audit.write(this.dataSource.manager, told);
    }
    throw error;
  }
}

/** Has the audit log told of a link or a code that the route refuses. @param purpose what it would have been good for. */
export function TellsRefusals(purpose: string): MethodDecorator {
  return applyDecorators(SetMetadata(PURPOSE, purpose), UseInterceptors(RefusalTelling));
}
