import { PATH_METADATA } from '@nestjs/common/constants.js';

/** Returns the declared paths of a handler, such as `/api/content/:schema`. */
export function routePaths(controller: object, handler: object): readonly string[] {
  const of = (place: object): string[] => [Reflect.getMetadata(PATH_METADATA, place) as string | string[]].flat();
  return of(controller).flatMap((base) =>
    of(handler).map((path) => `/${base}/${path}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')),
  );
}
