import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { applicationVariables, AppModule, parseAppConfig } from '../app.module.js';
import { fixedDocument } from '../edge/openapi/openapi.public.js';
import { configurationPage, envExample } from '../platform/config/documentation.js';
import { errorsPage } from '../kernel/errors/error-documentation.js';
import { limitsPage } from '../platform/config/limits-documentation.js';
// These define limits, and no module imports them.
import '../platform/http/server/configure-http.js';
import '../platform/http/server/fastify-options.js';
import { rateLimits } from '../platform/http/rate-limit/rate-limit.policies.js';
import { mailPage } from '../platform/mail/rendering/mail-documentation.js';
import { schemaFaultsSection } from '../data/schema/codes/schema-fault.js';

/** Returns all files that are generated from tables in the code, by path. A test checks that they are current. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'docs/configuration.md': configurationPage(applicationVariables()),
    'docs/errors.md': `${errorsPage()}\n${schemaFaultsSection()}`,
    'docs/request-limits.md': limitsPage(applicationVariables(), rateLimits()),
    'docs/mail.md': mailPage(),
    '.env.example': envExample(applicationVariables()),
  };
}

/** Returns the OpenAPI document of all routes except content. `npm run generate` creates the types of the console from it. */
export async function openApiDocument(): Promise<string> {
  const config = parseAppConfig({ APP_KEY: 'of nothing that is ever kept or signed', APP_URL: 'http://localhost' });
  const connection = { address: { url: '' }, embedded: false, release: () => Promise.resolve() };
  const module = AppModule.forRoot(config, connection);
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return fixedDocument(app, config);
}
