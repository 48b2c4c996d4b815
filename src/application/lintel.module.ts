import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, DiscoveryModule, DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { AppDefinition } from './app-definition.js';
import { Application, createApp } from './create-app.js';
import { withoutBasePath } from '../kernel/addresses/base-path.js';
import { DefinitionError } from '../kernel/errors/definition-error.js';
import type { Environment } from '../platform/config/parse-config.js';

/** Options of Lintel within an existing application. */
export interface LintelModuleOptions {
  /** The paths that belong to Lintel. */
  readonly scope: {
    /**
     * Path prefixes of Lintel: `/api`, and `/dash`, `/auth` and `/.well-known` for its pages, the links of its mails and its public keys.
     */
    readonly prefix: string | readonly string[];
  };
  /** The variables of Lintel. Default: those of the process and of `.env`. */
  readonly environment?: Environment;
  /** Providers of the host that modules of the definition can inject, usually with `useValue`. */
  readonly providers?: readonly Provider[];
}

/** Options of Lintel that depend on providers of the host, such as its configuration service. */
export interface LintelModuleAsyncOptions {
  /** Modules that export the providers in `inject`. */
  readonly imports?: DynamicModule['imports'];
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options, with the `definition` of `forRoot`. */
  readonly useFactory: (...injected: never[]) => HostedDefinition | Promise<HostedDefinition>;
}

/** The options of `LintelModule.forRoot`, with the definition. */
export type HostedDefinition = LintelModuleOptions & { readonly definition: AppDefinition };

const HOSTED = Symbol('HOSTED');
const SCOPE = Symbol('SCOPE');
const HANDLER = Symbol('HANDLER');
const RESERVED_PATHS = ['/api', '/dash', '/auth', '/.well-known', '/healthz', '/readyz'];

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Adds Lintel to an existing application on Express or Fastify. Requests below the prefixes go to Lintel; the rest of the application does
 * not change. Both share only the server and the process. The exported {@link Application} has the providers of Lintel.
 */
@Module({})
export class LintelModule implements OnApplicationBootstrap, OnApplicationShutdown {
  /** @throws DefinitionError for an invalid prefix. */
  static forRoot(definition: AppDefinition, options: LintelModuleOptions): DynamicModule {
    readPrefixes(options.scope.prefix);
    return hostedModule({ provide: HOSTED, useValue: { ...options, definition } });
  }

  /** Adds Lintel with options that a factory returns, after its injected providers are created. */
  static forRootAsync({ imports, inject, useFactory }: LintelModuleAsyncOptions): DynamicModule {
    return hostedModule({ provide: HOSTED, inject, useFactory: useFactory as FactoryProvider['useFactory'] }, imports);
  }

  constructor(
    @Inject(SCOPE) private readonly prefixes: readonly string[],
    @Inject(HANDLER) handle: Handler,
    private readonly application: Application,
    { httpAdapter }: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly config: ApplicationConfig,
  ) {
    // A context without a server has no requests.
    if (httpAdapter)
      mount(
        httpAdapter,
        ({ url = '/' }) => isWithin(prefixes, withoutBasePath(url, application.config.basePath)),
        handle,
      );
  }

  /** @throws DefinitionError for a route of the host application that Lintel's prefixes hide. */
  onApplicationBootstrap(): void {
    const hidden = this.discovery.getControllers().flatMap(({ metatype }) => {
      const paths = pathsOf(metatype as object, this.config.getGlobalPrefix());
      return paths.filter((path) => isWithin(this.prefixes, path)).map((path) => `${metatype?.name ?? ''} at ${path}`);
    });
    if (hidden.length === 0) return;
    throw new DefinitionError(
      `${hidden[0]} cannot be reached, because its path belongs to the scope of Lintel. Move the route to another path, or list its module in the definition.`,
    );
  }

  /** Runs after the server has stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.application.close();
  }
}

function hostedModule(hosted: Provider, imports: DynamicModule['imports'] = []): DynamicModule {
  return {
    module: LintelModule,
    global: true,
    imports: [DiscoveryModule, ...imports],
    providers: [
      hosted,
      { provide: SCOPE, inject: [HOSTED], useFactory: ({ scope }: HostedDefinition) => readPrefixes(scope.prefix) },
      {
        provide: Application,
        inject: [HOSTED, SCOPE],
        useFactory: ({ definition, environment, providers = [] }: HostedDefinition) =>
          createApp(withProviders(definition, providers), environment),
      },
      { provide: HANDLER, inject: [Application], useFactory: (application: Application) => application.handler() },
    ],
    exports: [Application],
  };
}

function withProviders(definition: AppDefinition, providers: readonly Provider[]): AppDefinition {
  if (providers.length === 0) return definition;
  const tokens = providers.map((provider) => (typeof provider === 'function' ? provider : provider.provide));
  const module = { module: HostProviders, global: true, providers: [...providers], exports: tokens };
  return { ...definition, modules: [module, ...(definition.modules ?? [])] };
}

class HostProviders {}

function readPrefixes(input: string | readonly string[]): readonly string[] {
  const prefixes = [input].flat();
  const odd = prefixes.find((prefix) => !RESERVED_PATHS.includes(prefix));
  if (odd !== undefined || !prefixes.includes('/api'))
    throw new DefinitionError(
      `scope.prefix of LintelModule must be /api, or a list of it and others of ${RESERVED_PATHS.slice(1).join(', ')}${odd === undefined ? '' : `, and ${JSON.stringify(odd)} is none`}.`,
    );
  return prefixes;
}

/** Handles Lintel's requests before the body parsers, guards and hooks of the host application. */
function mount(
  adapter: HttpAdapterHost['httpAdapter'],
  isForLintel: (request: IncomingMessage) => boolean,
  handle: Handler,
): void {
  const kind = adapter.getType();
  if (kind === 'express') {
    adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (!isForLintel(request)) return next();
      // Express has already added its name.
      response.removeHeader('x-powered-by');
      handle(request, response);
    });
    return;
  }
  if (kind !== 'fastify')
    throw new DefinitionError(
      `LintelModule supports applications on Express or Fastify, and this application uses ${kind}. Start Lintel separately with run().`,
    );
  (adapter.getInstance() as FastifyInstance).addHook('onRequest', (request, reply, done) => {
    if (!isForLintel(request.raw)) return done();
    reply.hijack();
    handle(request.raw, reply.raw);
  });
}

function isWithin(prefixes: readonly string[], url = ''): boolean {
  const [path = ''] = url.split('?', 1);
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

function pathsOf(controller: object, globalPrefix: string): string[] {
  const { prototype } = controller as { prototype: Readonly<Record<string, object>> };
  const of = (target: object | undefined): readonly string[] => {
    const path = target && (Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined);
    return path === undefined ? [] : [path].flat();
  };
  const handlers = new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => of(prototype[name]));
  return of(controller).flatMap((first) =>
    handlers.map((last) => `/${globalPrefix}/${first}/${last}`.replace(/\/+/g, '/')),
  );
}
