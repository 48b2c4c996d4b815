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
import type { FastifyRequest } from 'fastify';
import { catchError, from, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { originOf } from '../access/client-context.js';
import { ProofRefused } from './sign-in-method.port.js';

const ACTIONS = defineAuditActions('Links and codes', {
  'secret.refuse':
    'A link or code was rejected because it is unknown, used or expired. `purpose` contains its purpose.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const PURPOSE = Symbol('purpose of the secret');
const REFUSALS: ReadonlySet<string> = new Set([
  'token_invalid',
  'token_expired',
  'code_invalid',
  'setup_token_invalid',
]);

/** Writes a refused secret to the audit log, outside the transaction of the route, which is rolled back. */
@Injectable()
class RefusalRecorder implements NestInterceptor<unknown, unknown> {
  constructor(
    private readonly reflector: Reflector,
    private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(catchError((error: unknown) => from(this.record(context, error))));
  }

  private async record(context: ExecutionContext, error: unknown): Promise<never> {
    // The sign-in service records failed proofs, with their account.
    if (error instanceof AppError && !(error instanceof ProofRefused) && REFUSALS.has(error.code)) {
      const purpose = this.reflector.get<string>(PURPOSE, context.getHandler());
      const origin = originOf(context.switchToHttp().getRequest<FastifyRequest>());
      const event = { action: 'secret.refuse', actor: 'guest', resource: 'secret', outcome: error.code } as const;
      await this.audit.write(this.dataSource.manager, { ...event, origin, facts: { purpose } });
    }
    throw error;
  }
}

/** Records refused links and codes of the route in the audit log. @param purpose of the secret, for the event. */
export function RecordsRefusals(purpose: string): MethodDecorator {
  return applyDecorators(SetMetadata(PURPOSE, purpose), UseInterceptors(RefusalRecorder));
}
