import { type INestApplication, Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RouteAccessInspector } from '../../../identity/auth/auth.public.js';
import type { Json } from '../document/references.js';
import { type DescribedRoute, describeRoute, operationId } from './described-route.js';
import { tagsOf } from './fixed-operation.js';

/** The routes of the application, as their code and the decorators of @nestjs/swagger beside it describe them. */
@Injectable()
export class DescribedRoutes {
  private scan: (() => OpenAPIObject) | null = null;
  private scanned: OpenAPIObject | null = null;
  private declared: readonly DescribedRoute[] | null = null;
  private routes: readonly DescribedRoute[] | null = null;

  constructor(private readonly inspector: RouteAccessInspector) {}

  /** Names the application. Its decorators are read when the first document is made: a start does not pay for them. */
  readFrom(app: INestApplication): void {
    const config = new DocumentBuilder().setOpenAPIVersion('3.1.1').build();
    const options = { autoTagControllers: false, operationIdFactory: operationId };
    this.scan = () => SwaggerModule.createDocument(app, config, options);
  }

  /** The routes of the API in the order of their paths; pages for people are none. */
  list(): readonly DescribedRoute[] {
    this.routes ??= [...this.inModules()].sort((a, b) => (a.path < b.path ? -1 : 1));
    return this.routes;
  }

  /** The groups of the routes in the order of the modules that they stand in: a team's own come last. */
  groups(): readonly string[] {
    return [...new Set(this.inModules().flatMap(tagsOf))];
  }

  private inModules(): readonly DescribedRoute[] {
    this.declared ??= this.inspector
      .list()
      .flatMap((route) => describeRoute(route, this.document()))
      .filter(({ path }) => path.startsWith('/api') || path === '/healthz' || path === '/readyz');
    return this.declared;
  }

  /** The classes of answers and bodies as JSON Schemas, by their names. */
  schemas(): Readonly<Record<string, Json>> {
    return (this.document().components?.schemas ?? {}) as Readonly<Record<string, Json>>;
  }

  private document(): OpenAPIObject {
    this.scanned ??= this.scan?.() ?? { openapi: '3.1.1', info: { title: '', version: '1' }, paths: {} };
    return this.scanned;
  }
}
