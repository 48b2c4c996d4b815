import type { ExecutionContext } from '@nestjs/common';

interface OperationContext<T> {
  readonly req?: T;
  readonly reply?: { readonly request?: T };
}

/**
 * Returns the HTTP request of a handler: that of a route, or of a GraphQL query or mutation (Apollo and Mercurius). Undefined for other
 * handlers, such as those of a WebSocket gateway.
 */
export function requestOf<T>(context: ExecutionContext): T | undefined {
  const type = context.getType<string>();
  if (type === 'http') return context.switchToHttp().getRequest<T>();
  // The last two arguments of a resolver are the context and the info.
  const { req, reply } = (type === 'graphql' ? context.getArgs<OperationContext<T>[]>().at(-2) : undefined) ?? {};
  return req ?? reply?.request;
}
