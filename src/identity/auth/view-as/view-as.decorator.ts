import { SetMetadata } from '@nestjs/common';

const VIEW_AS = 'lintel:view-as';

/** Says of a route that is no `GET` that it changes nothing: it plans or checks, and may be asked as somebody else (CONTRACT §14). */
export function ChangesNothing(): MethodDecorator {
  return SetMetadata(VIEW_AS, 'allowed');
}

/** Closes a `GET` to whoever asks as somebody else: what is written down as done by the person themselves. */
export function ForThePersonAlone(): MethodDecorator {
  return SetMetadata(VIEW_AS, 'refused');
}

/** Returns what a route says of being asked as somebody else; nothing unless it is another than its method says. */
export function viewAsOf(handler: object): 'allowed' | 'refused' | undefined {
  return Reflect.getMetadata(VIEW_AS, handler) as 'allowed' | 'refused' | undefined;
}
