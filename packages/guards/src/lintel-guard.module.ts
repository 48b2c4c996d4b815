import { ConfigurableModuleBuilder, Global, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { APP_GUARD, DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { GuardDefinitionError } from './guard-definition.errors.js';
import type { LintelGuardOptions } from './guard.types.js';
import { LintelAccess } from './lintel-access.service.js';
import { LintelGuard } from './lintel.guard.js';
import { routeAccessOf } from './route-access.decorators.js';
import { GUARD_OPTIONS, TokenIssuer } from './token-issuer.service.js';

/** Injection token: whether every route of the application is guarded. */
const EVERYWHERE = Symbol('EVERYWHERE');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<LintelGuardOptions>({
  optionsInjectionToken: GUARD_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras({ everywhere: true }, (definition, { everywhere }) => ({
    ...definition,
    providers: [
      ...(definition.providers ?? []),
      { provide: EVERYWHERE, useValue: everywhere },
      ...(everywhere ? [{ provide: APP_GUARD, useExisting: LintelGuard }] : []),
    ],
  }))
  .build();

/**
 * Guards a service on Express or Fastify, without a database. It accepts the access tokens and API keys of one issuer, which must sign with
 * `AUTH_TOKEN_ALG=EdDSA`. Every route is closed unless it has `@Public()`, `@Authenticated()` or `@Resource('…')`. With `everywhere: false`
 * only the routes with `@UseGuards(LintelGuard)` are guarded.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [TokenIssuer, LintelAccess, LintelGuard],
  exports: [LintelAccess, LintelGuard, TokenIssuer],
})
export class LintelGuardModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(
    @Inject(EVERYWHERE) private readonly everywhere: boolean,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {
    super();
  }

  /** @throws GuardDefinitionError for routes without an access declaration, if all routes are guarded. */
  onApplicationBootstrap(): void {
    if (!this.everywhere) return;
    const shut = this.discovery
      .getControllers()
      .flatMap(({ instance }) => this.undeclaredOf(instance as object | null));
    if (shut.length > 0)
      throw new GuardDefinitionError(
        `Routes without @Public(), @Authenticated() or @Resource('…'): ${shut.join(', ')}. Declare them, or import LintelGuardModule with everywhere: false.`,
      );
  }

  private undeclaredOf(instance: object | null | undefined): readonly string[] {
    if (instance === null || instance === undefined) return [];
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    const controller = prototype.constructor;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (handler === undefined || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      return routeAccessOf(handler, controller) === undefined ? [`${controller.name}.${name}`] : [];
    });
  }
}
