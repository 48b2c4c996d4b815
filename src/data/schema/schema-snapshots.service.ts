import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { cacheReader } from '../../platform/database/database.public.js';
import { ChangeListener } from '../../platform/events/change-listener.service.js';
import { Measures } from '../../platform/metrics/measures.decorator.js';
import { ApplicationSchemas } from './application-schemas.service.js';
import { SchemaStore } from './apply/schema-store.js';
import { initialSnapshot } from './change/prepare-change.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

export const SCHEMA_TOPIC = 'schema';

const RETRY_MS = 500;

/**
 * The one reference to the snapshot that is in force. Take `current` once at the beginning of a request and keep it: what
 * is swapped in meanwhile is for later requests. Every instance follows a change within a second.
 */
@Injectable()
export class SchemaSnapshots implements OnModuleInit {
  private readonly logger = new Logger('Schemas');
  private snapshot: SchemaSnapshot;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeListener,
    private readonly store: SchemaStore,
    system: ApplicationSchemas,
  ) {
    this.snapshot = initialSnapshot(system.all);
  }

  async onModuleInit(): Promise<void> {
    await this.latest();
    const follow = (): void => this.follow();
    this.changes.subscribe(SCHEMA_TOPIC, { changed: follow, resync: follow });
  }

  get current(): SchemaSnapshot {
    return this.snapshot;
  }

  /** Returns the snapshot in force in the database, which this instance then follows too. */
  async latest(): Promise<SchemaSnapshot> {
    this.accept(await this.store.newest(cacheReader(this.dataSource), this.snapshot));
    return this.snapshot;
  }

  @Measures({ name: 'lintel_schema_version', help: 'Version of the schemas that is in force on this instance.' })
  version(): number {
    return this.snapshot.version;
  }

  /** Puts a snapshot in force, unless a newer one is already. */
  accept(snapshot: SchemaSnapshot): void {
    if (snapshot.version > this.snapshot.version) this.snapshot = snapshot;
  }

  private follow(): void {
    this.latest().catch((err: unknown) => {
      if (!this.dataSource.isInitialized) return;
      this.logger.warn({ err, msg: 'The newest schemas could not be read.' });
      setTimeout(() => this.follow(), RETRY_MS).unref();
    });
  }
}
