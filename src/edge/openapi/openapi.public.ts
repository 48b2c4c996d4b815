import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { contentLimits } from '../../data/content/content.public.js';
import { RouteAccessInspector } from '../../identity/auth/auth.public.js';
import type { Config } from '../../platform/config/config.types.js';
import { DescriptionContext } from './content/description-context.js';
import { buildDocument, commonSchemas } from './build-document.js';
import { DescribedRoutes } from './routes/described-routes.service.js';

/**
 * Returns the OpenAPI document of all routes except the content routes, whose schemas are in the database. The application may be in preview
 * mode, where providers are not created.
 */
export async function staticRoutesDocument(app: INestApplication, config: Config): Promise<string> {
  const modules = app.get(ModulesContainer);
  const inspector = new RouteAccessInspector(new DiscoveryService(modules), new MetadataScanner(), modules);
  const routes = new DescribedRoutes(inspector);
  routes.readFrom(app);
  await routes.ready();
  const limits = contentLimits(config);
  const common = commonSchemas(limits, routes.schemas());
  const context = new DescriptionContext({ schemas: {}, names: {} }, [], Object.keys(common), limits);
  const { appName: title, appUrl: url } = config;
  const parts = { title, url, routes: routes.list(), groups: routes.groups(), common, context };
  return (await buildDocument(parts)).join('');
}
