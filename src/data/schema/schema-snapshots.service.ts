import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { cacheReader } from '../../platform/database/database.public.js';
import { ChangeListener } from '../../platform/events/change-listener.service.js';
import { Measures } from '../../platform/metrics/measures.decorator.js';
import { DiscoveryService } from '@nestjs/core';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import type { SystemSchemas } from '../../kernel/system-schema.js';
import { SystemSchemaRegistration } from '../../platform/extension/system-schema.provider.js';
import { SchemaStore } from './apply/schema-store.js';
import { initialSnapshot } from './change/prepare-change.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

export const SCHEMA_TOPIC = 'schema';

const RETRY_MS = 500;

/** Provides the snapshot in force. A request reads `current` once and keeps it. All instances follow a change within a second. */
@Injectable()
export class SchemaSnapshots implements OnModuleInit {
  private readonly logger = new Logger('Schemas');
  private snapshot: SchemaSnapshot;

  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeListener,
    private readonly store: SchemaStore,
    discovery: DiscoveryService,
  ) {
    this.snapshot = initialSnapshot(systemSchemas(discovery));
  }

  async onModuleInit(): Promise<void> {
    await this.latest();
    const follow = (): void => this.follow();
    this.changes.subscribe(SCHEMA_TOPIC, { changed: follow, resync: follow });
  }

  get current(): SchemaSnapshot {
    return this.snapshot;
  }

  /** Reads the newest snapshot from the database and puts it in force on this instance. */
  async latest(): Promise<SchemaSnapshot> {
    this.accept(await this.store.newest(cacheReader(this.dataSource), this.snapshot));
    return this.snapshot;
  }

  @Measures({ name: 'lintel_schema_version', help: 'Schema version in effect on this instance.' })
  version(): number {
    return this.snapshot.version;
  }

  /** Puts a snapshot in force, unless it is older. */
  accept(snapshot: SchemaSnapshot): void {
    if (snapshot.version > this.snapshot.version) this.snapshot = snapshot;
  }

  private follow(): void {
    this.latest().catch((err: unknown) => {
      if (!this.dataSource.isInitialized) return;
      this.logger.warn({ err, msg: 'The latest schemas could not be read.' });
      setTimeout(() => this.follow(), RETRY_MS).unref();
    });
  }
}

function systemSchemas(discovery: DiscoveryService): SystemSchemas {
  const schemas = discovery
    .getProviders()
    .map(({ instance }): unknown => instance)
    .flatMap((one) => (one instanceof SystemSchemaRegistration ? [one.schema] : []));
  const names = schemas.map(({ definition }) => definition.name);
  assertDistinct(names, 'Two modules define the system schema');
  return new Map(schemas.map((schema) => [schema.definition.name, schema]));
}
