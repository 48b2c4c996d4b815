import { type DynamicModule, Logger, Module, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { RouteAccessInspector, routePaths } from '../../identity/auth/auth.public.js';
import type { Config } from '../../platform/config/config.types.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { BrandController } from './brand.controller.js';
import { BRAND_VARIABLES } from './brand.variables.js';
import { readBuiltPages } from './built-pages.js';
import { BUILT_PAGES, PageService } from './page.service.js';
import {
  AssetsController,
  EmailPagesController,
  PagesController,
  ReferenceController,
  RootController,
  SelfServicePagesController,
} from './pages.controller.js';

/** Registered in every mode, like the change of an e-mail address. */
const ALWAYS: readonly Type[] = [
  RootController,
  AssetsController,
  BrandController,
  PagesController,
  EmailPagesController,
  ReferenceController,
];
const ALL = [...ALWAYS, SelfServicePagesController];

/** Paths of the web application. Any release may add pages below them. */
const RESERVED = /^\/(dash|auth)(\/|$)/;

/** Serves the build of `dash/`: the pages under `/dash`, the pages linked in mails, and the reference page of the API. */
@DeclaresVariables(BRAND_VARIABLES)
@Module({})
export class DashModule implements OnApplicationBootstrap {
  private readonly logger = new Logger('Pages');

  constructor(private readonly routes: RouteAccessInspector) {}

  /** @param config determines whether self-service pages exist. */
  static forRoot({ auth }: Pick<Config, 'auth'>): DynamicModule {
    return {
      module: DashModule,
      imports: [AuthModule],
      controllers: auth.localLoginDisabled ? [...ALWAYS] : ALL,
      providers: [PageService, { provide: BUILT_PAGES, useFactory: () => readBuiltPages() }],
    };
  }

  /** Warns if routes of an application may collide with the web application. */
  onApplicationBootstrap(): void {
    for (const { controller, handler, name } of this.routes.list()) {
      if (ALL.includes(controller)) continue;
      const method = (controller.prototype as Record<string, object>)[name];
      const paths = method === undefined ? [] : routePaths(controller, method);
      for (const path of paths.filter((one) => RESERVED.test(one)))
        this.logger.warn({
          handler,
          path,
          msg: 'A route is below a path that is reserved for the web application. Choose another path.',
        });
    }
  }
}
