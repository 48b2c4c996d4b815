import { SetMetadata } from '@nestjs/common';

const VIEW_AS = 'lintel:view-as';

/** Marks a route other than `GET` that changes nothing, such as a plan or a check. It can be requested as another user. */
export function ChangesNothing(): MethodDecorator {
  return SetMetadata(VIEW_AS, 'allowed');
}

/** Closes a `GET` for requests as another user, because the server records it as an action of the user. */
export function NotViewable(): MethodDecorator {
  return SetMetadata(VIEW_AS, 'refused');
}

/** Undefined if the HTTP method decides. */
export function viewAsOf(handler: object): 'allowed' | 'refused' | undefined {
  return Reflect.getMetadata(VIEW_AS, handler) as 'allowed' | 'refused' | undefined;
}
