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

/** Options of Lintel in an application that exists. */
export interface LintelModuleOptions {
  /** Part of its routes that is Lintel's. */
  readonly scope: {
    /**
     * Beginnings of the paths of Lintel: `/api`, and `/dash`, `/auth` and `/.well-known` if its pages, its mails' links and its keys
     * are wanted.
     */
    readonly prefix: string | readonly string[];
  };
  /** The variables of Lintel; those of the process and of `.env` unless given. */
  readonly environment?: Environment;
  /** Providers of the host that modules of the definition can inject, most often with `useValue`. */
  readonly providers?: readonly Provider[];
}

/** Options of Lintel that depend on providers of the host, such as its configuration service. */
export interface LintelModuleAsyncOptions {
  /** Modules that export what `inject` names. */
  readonly imports?: DynamicModule['imports'];
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options; `definition` as in `forRoot`. */
  readonly useFactory: (...injected: never[]) => HostedDefinition | Promise<HostedDefinition>;
}

/** A definition with the options of `LintelModule.forRoot`. */
export type HostedDefinition = LintelModuleOptions & { readonly definition: AppDefinition };

const HOSTED = Symbol('HOSTED');
const SCOPE = Symbol('SCOPE');
const HANDLER = Symbol('HANDLER');
/** Paths under which the routes of Lintel stand. */
const PLACES = ['/api', '/dash', '/auth', '/.well-known', '/healthz', '/readyz'];

/** Answers a request that a server of Node has taken. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Puts Lintel into an application that exists, on Express or on Fastify: requests below the prefix are Lintel's, and everything
 * else of the application stays as it is. They share the server and the process, and nothing else: {@link Application}, which is
 * exported, has the providers of Lintel.
 */
@Module({})
export class LintelModule implements OnApplicationBootstrap, OnApplicationShutdown {
  /** @throws DefinitionError for a prefix that is none of Lintel's. */
  static forRoot(definition: AppDefinition, options: LintelModuleOptions): DynamicModule {
    readPrefixes(options.scope.prefix);
    return hostedModule({ provide: HOSTED, useValue: { ...options, definition } });
  }

  /** Puts Lintel into the host with options that a factory returns, once the providers that it injects exist. */
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
    // A context without a server has no requests to pass on.
    if (httpAdapter)
      mount(
        httpAdapter,
        ({ url = '/' }) => isWithin(prefixes, withoutBasePath(url, application.config.basePath)),
        handle,
      );
  }

  /** @throws DefinitionError for a route of the application that would never be reached. */
  onApplicationBootstrap(): void {
    const hidden = this.discovery.getControllers().flatMap(({ metatype }) => {
      const paths = pathsOf(metatype as object, this.config.getGlobalPrefix());
      return paths.filter((path) => isWithin(this.prefixes, path)).map((path) => `${metatype?.name ?? ''} at ${path}`);
    });
    if (hidden.length === 0) return;
    throw new DefinitionError(
      `${hidden[0]} is never reached, for the scope gives that path to Lintel: move it elsewhere, or list its module in the definition.`,
    );
  }

  /** Runs when the server has stopped. */
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

/** Returns the definition with a global module of the host's providers. */
function withProviders(definition: AppDefinition, providers: readonly Provider[]): AppDefinition {
  if (providers.length === 0) return definition;
  const tokens = providers.map((provider) => (typeof provider === 'function' ? provider : provider.provide));
  const module = { module: HostProviders, global: true, providers: [...providers], exports: tokens };
  return { ...definition, modules: [module, ...(definition.modules ?? [])] };
}

/** Carries providers of the host into the application of Lintel. */
class HostProviders {}

function readPrefixes(given: string | readonly string[]): readonly string[] {
  const prefixes = [given].flat();
  const odd = prefixes.find((prefix) => !PLACES.includes(prefix));
  if (odd !== undefined || !prefixes.includes('/api'))
    throw new DefinitionError(
      `scope.prefix of LintelModule must be /api, or a list of it and others of ${PLACES.slice(1).join(', ')}${odd === undefined ? '' : `, and ${JSON.stringify(odd)} is none`}.`,
    );
  return prefixes;
}

/** Passes requests on before anything of the application sees them: its body parsers, guards and hooks come later. */
function mount(
  adapter: HttpAdapterHost['httpAdapter'],
  isOurs: (request: IncomingMessage) => boolean,
  handle: Handler,
): void {
  const kind = adapter.getType();
  if (kind === 'express') {
    adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (!isOurs(request)) return next();
      // Express has its name in every answer already.
      response.removeHeader('x-powered-by');
      handle(request, response);
    });
    return;
  }
  if (kind !== 'fastify')
    throw new DefinitionError(
      `LintelModule stands in applications on Express or Fastify, and this one is on ${kind}: serve Lintel by itself, with run().`,
    );
  (adapter.getInstance() as FastifyInstance).addHook('onRequest', (request, reply, done) => {
    if (!isOurs(request.raw)) return done();
    reply.hijack();
    handle(request.raw, reply.raw);
  });
}

function isWithin(prefixes: readonly string[], url = ''): boolean {
  const [path = ''] = url.split('?', 1);
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Returns the paths of the handlers of a controller. */
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
