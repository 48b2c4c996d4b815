import { Pauses } from '../../kernel/pauses.js';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Principal } from '../../kernel/principal.types.js';
import { RoleDirectory } from '../../identity/auth/auth.public.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { ContentAbilities, type SchemaAbility } from '../../data/content/access/content-abilities.service.js';
import { contentLimits } from '../../data/content/content.public.js';
import type { ContentContext } from '../../data/content/content-context.service.js';
import { DescriptionContext } from './content/description-context.js';
import { buildDocument, commonSchemas } from './build-document.js';
import type { DescribedRoute } from './routes/described-route.js';
import { DescribedRoutes } from './routes/described-routes.service.js';

export interface OpenApiDocument {
  readonly body: Buffer;
  /** Strong validator of the body (RFC 9110 §8.8.3), without quotes. */
  readonly tag: string;
  /** Returns the compressed body, which is created on the first call. */
  readonly packed: () => Promise<Buffer>;
}

/** Total size of the cached documents. The least recently used ones are evicted. @internal */
const MAX_BYTES = 64 * 1_024 * 1_024;
const pack = promisify(gzip);

/** Creates the API description for each caller, once per set of permissions on the current schemas. */
@Injectable()
export class OpenApiDocuments {
  private readonly cache = new LRUCache<string, OpenApiDocument>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => body.length,
  });
  private readonly building = new Map<string, Promise<OpenApiDocument>>();
  /** One build at a time, to limit memory and processor time. */
  private readonly oneAtATime = pLimit(1);

  constructor(
    private readonly abilities: ContentAbilities,
    private readonly described: DescribedRoutes,
    private readonly roles: RoleDirectory,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Returns the document of exactly those operations that the principal can use. */
  async of(principal: Principal): Promise<OpenApiDocument> {
    await this.described.ready();
    const context = await this.abilities.open(principal);
    const routes = this.described.list().filter(({ access }) => this.isOpen(access, context));
    // Rules can open routes to some of the callers that have the same permissions on records, so the routes are part of the key.
    const outline = [this.abilities.cacheKey(context), ...routes.map(({ method, path }) => `${method} ${path}`)];
    const key = createHash('sha256').update(outline.join('\n')).digest('base64url');
    const cached = this.cache.get(key) ?? this.building.get(key);
    if (cached !== undefined) return cached;
    const building = this.oneAtATime(() => this.build(context, routes)).finally(() => this.building.delete(key));
    this.building.set(key, building);
    const document = await building;
    this.cache.set(key, document);
    return document;
  }

  private async build(context: ContentContext, open: readonly DescribedRoute[]): Promise<OpenApiDocument> {
    const { snapshot } = context;
    const abilities: SchemaAbility[] = [];
    const pauses = new Pauses();
    for (const ability of this.abilities.bySchema(context)) {
      abilities.push(ability);
      await pauses.afterStep();
    }
    const limits = contentLimits(this.config);
    const common = commonSchemas(limits, this.described.schemas());
    const description = new DescriptionContext(snapshot, abilities, Object.keys(common), limits);
    const mayBatch = abilities.some(({ actions }) => BATCHED.some((action) => actions.has(action)));
    const routes = open.filter(({ path }) => path !== '/api/batch' || mayBatch);
    const { appName: title, appUrl: url } = this.config;
    return encoded(
      await buildDocument({ title, url, routes, groups: this.described.groups(), common, context: description }),
    );
  }

  private isOpen(access: DescribedRoute['access'], { principal, permissions }: ContentContext): boolean {
    if (access.public || access.byRecord === true) return true;
    if (access.resource === null) return principal.kind === 'account' && principal.key === undefined;
    return this.roles.isOpenTo(principal, permissions, access.resource);
  }
}

async function encoded(parts: readonly string[]): Promise<OpenApiDocument> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  const pauses = new Pauses();
  for (const part of parts) {
    const chunk = Buffer.from(part);
    hash.update(chunk);
    chunks.push(chunk);
    await pauses.afterStep();
  }
  const body = Buffer.concat(chunks);
  let packed: Promise<Buffer> | null = null;
  return { body, tag: hash.digest('base64url').slice(0, 22), packed: () => (packed ??= pack(body)) };
}

const BATCHED = ['create', 'update', 'delete'] as const;
