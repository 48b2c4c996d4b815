import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { AssetsController } from './assets.controller.js';
import { BrandController } from './brand.controller.js';
import { BRAND_VARIABLES } from './brand.variables.js';
import { readBuiltPages } from './built-pages.js';
import { EmailPagesController, SelfServicePagesController } from './mail-pages.controller.js';
import { BUILT_PAGES, PageService } from './page.service.js';
import { PagesController } from './pages.controller.js';
import { ReferenceController } from './reference.controller.js';
import { PAGE_CONTROLLERS, ReservedPaths } from './reserved-paths.service.js';
import { RootController } from './root.controller.js';

/** Registered in every mode, like the change of an e-mail address. */
const ALWAYS = [
  RootController,
  AssetsController,
  BrandController,
  PagesController,
  EmailPagesController,
  ReferenceController,
];

/** Serves the build of `dash/`: the pages under `/dash`, the pages linked in mails, and the reference page of the API. */
@DeclaresVariables(BRAND_VARIABLES)
@Module({})
export class DashModule {
  /** @param config determines whether self-service pages exist (specification, "Authentication", 6). */
  static forRoot({ auth }: Pick<Config, 'auth'>): DynamicModule {
    const controllers = auth.localLoginDisabled ? ALWAYS : [...ALWAYS, SelfServicePagesController];
    return {
      module: DashModule,
      imports: [AuthModule],
      controllers,
      providers: [
        PageService,
        { provide: BUILT_PAGES, useFactory: () => readBuiltPages() },
        ReservedPaths,
        { provide: PAGE_CONTROLLERS, useValue: controllers },
      ],
    };
  }
}
