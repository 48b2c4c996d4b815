import { Inject, Injectable, Logger, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { RouteAccessInspector, routePaths } from '../../identity/auth/auth.public.js';

/** Paths of the web application. Any release may add pages below them. */
const RESERVED = /^\/(dash|auth)(\/|$)/;

export const PAGE_CONTROLLERS = Symbol('PAGE_CONTROLLERS');

/** Warns if routes of an application may collide with the web application. */
@Injectable()
export class ReservedPaths implements OnApplicationBootstrap {
  private readonly logger = new Logger('Pages');

  constructor(
    private readonly routes: RouteAccessInspector,
    @Inject(PAGE_CONTROLLERS) private readonly own: readonly Type[],
  ) {}

  onApplicationBootstrap(): void {
    for (const { controller, handler, name } of this.routes.list()) {
      if (this.own.includes(controller)) continue;
      const method = (controller.prototype as Record<string, object>)[name];
      const paths = method === undefined ? [] : routePaths(controller, method);
      for (const path of paths.filter((one) => RESERVED.test(one)))
        this.logger.warn({
          handler,
          path,
          msg: 'A route is below a path of the web application, which may get a page there: choose another path.',
        });
    }
  }
}
