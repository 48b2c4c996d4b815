import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { GUEST } from '../../../kernel/principal.types.js';
import type { Sender } from './file-publishing.service.js';

export interface UploadRequest extends Sender {
  readonly headers: IncomingHttpHeaders;
  /** A stream, if the route accepts streams. */
  readonly body: Readable;
}

export function uploadRequestOf(context: ExecutionContext): UploadRequest {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const { user = GUEST, raw, body } = request;
  return { principal: user, origin: originOf(request), headers: raw.headers, body: body as Readable };
}

export const SentUpload = createParamDecorator((_data: unknown, context: ExecutionContext) => uploadRequestOf(context));
