import { Pauses } from '../../../kernel/pauses.js';
import { type INestApplication, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, type SwaggerDocumentOptions, SwaggerModule } from '@nestjs/swagger';
import { RouteAccessInspector } from '../../../identity/auth/auth.public.js';
import type { Json } from '../document/references.js';
import { type DescribedRoute, describeRoute, operationId, undocumentedPaths } from './described-route.js';
import { tagsOf } from './fixed-operation.js';

type Described = Pick<OpenAPIObject, 'paths'> & { readonly schemas: Record<string, Json> };

/** The routes of the application, as described by their code and by decorators of @nestjs/swagger. */
@Injectable()
export class DescribedRoutes implements OnApplicationBootstrap {
  private readonly logger = new Logger('OpenApi');
  private app: INestApplication | null = null;
  private reading: Promise<void> | null = null;
  private readonly described: Described = { paths: {}, schemas: {} };
  private declared: readonly DescribedRoute[] = [];
  private routes: readonly DescribedRoute[] = [];

  constructor(private readonly inspector: RouteAccessInspector) {}

  /** Warns of routes outside of `/api` that no document contains, because their authors may expect them there. */
  onApplicationBootstrap(): void {
    for (const route of this.inspector.list())
      for (const path of undocumentedPaths(route))
        this.logger.warn({
          handler: route.handler,
          path,
          msg: 'A route outside /api is not in the OpenAPI document. Add @ApiOperation() to include it, or @ApiExcludeEndpoint() to exclude it.',
        });
  }

  /** Sets the application. Must be called before {@link ready}. */
  readFrom(app: INestApplication): void {
    this.app = app;
  }

  /**
   * Reads the decorators. This happens when the first document is created, so that the start is not delayed. Other requests are served
   * meanwhile. Afterwards the other methods return the result.
   */
  ready(): Promise<void> {
    this.reading ??= this.read();
    return this.reading;
  }

  /** Returns the routes of the API, sorted by path. HTML pages are excluded. */
  list(): readonly DescribedRoute[] {
    return this.routes;
  }

  /** Returns the groups of the routes in the order of their modules. Those of an application are last. */
  groups(): readonly string[] {
    return [...new Set(this.declared.flatMap(tagsOf))];
  }

  schemas(): Readonly<Record<string, Json>> {
    return this.described.schemas;
  }

  private async read(): Promise<void> {
    const { app } = this;
    if (app !== null) {
      const pauses = new Pauses();
      for (const module of modulesWithRoutes(app)) {
        this.scan(app, module);
        await pauses.afterStep();
      }
    }
    const { paths } = this.described;
    this.declared = this.inspector.list().flatMap((route) => describeRoute(route, { paths }));
    this.routes = [...this.declared].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private scan(app: INestApplication, module: Module): void {
    const config = new DocumentBuilder().setOpenAPIVersion('3.1.1').build();
    const options = { autoTagControllers: false, operationIdFactory: operationId, include: [module] };
    const { paths, components } = SwaggerModule.createDocument(app, config, options);
    for (const [path, operations] of Object.entries(paths)) {
      this.described.paths[path] = { ...this.described.paths[path], ...operations };
    }
    Object.assign(this.described.schemas, components?.schemas);
  }
}

type Module = NonNullable<SwaggerDocumentOptions['include']>[number];

function modulesWithRoutes(app: INestApplication): readonly Module[] {
  const modules = [...app.get(ModulesContainer).values()].filter(({ controllers }) => controllers.size > 0);
  return [...new Set(modules.map(({ metatype }) => metatype))];
}
