import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { LintelModule } from '../../../src/application/lintel.module.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { createDatabase } from '../../support/test-server.js';

@Entity('users')
class HostUser {
  @PrimaryGeneratedColumn() id: number;
  @Column('text') name: string;
}

@Entity('customers')
class Customer {
  @PrimaryGeneratedColumn() id: number;
  @Column('text', { nullable: true }) name: string | null;
}

const TABLES = `SELECT table_name || '.' || column_name || ' ' || data_type AS line FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name NOT LIKE 'audit_events-%' ORDER BY 1`;

describe('a host with its own DataSource, autoLoadEntities and synchronize', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-host-'));
  const warnings: string[] = [];
  const logger: LoggerService = {
    log() {},
    error() {},
    warn: (message: unknown) => void warnings.push(String(message)),
  };
  const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];
  const create = async () => {
    const database = await createDatabase();
    databases.push(database);
    return database.address.url;
  };

  afterAll(async () => {
    for (const database of databases) await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Starts the host the given number of times, and returns the columns of both databases. */
  const start = async (host: string, lintel: string, entity: new () => object, times = 1) => {
    const environment = { ...TEST_ENVIRONMENT, LOG_LEVEL: 'fatal', DATA_DIR: dataDir, DATABASE_URL: lintel };
    for (let time = 0; time < times; time++) {
      @Module({
        imports: [
          TypeOrmModule.forRoot({
            type: 'postgres',
            url: host,
            autoLoadEntities: true,
            synchronize: true,
            retryAttempts: 1,
            installExtensions: false,
          }),
          TypeOrmModule.forFeature([entity]),
          LintelModule.forRoot({}, { scope: { prefix: '/api' }, environment }),
        ],
      })
      class HostModule {}
      const app = await NestFactory.createApplicationContext(HostModule, { logger, abortOnError: false });
      const source = app.get<DataSource>(getDataSourceToken());
      expect(source.entityMetadatas.every(({ target }) => target === HostUser || target === Customer)).toBe(true);
      await app.close();
    }
    return columnsOf(host);
  };
  const columnsOf = async (url: string): Promise<string[]> => {
    const source = await new DataSource({ type: 'postgres', url, installExtensions: false }).initialize();
    const rows = await source.query<{ line: string }[]>(TABLES);
    await source.destroy();
    return rows.map(({ line }) => line);
  };

  it('does not alter the tables of Lintel in a shared database', async () => {
    const shared = await create();
    const before = await columnsOf(shared);
    const after = await start(shared, shared, Customer, 2);
    expect(after.filter((line) => !line.startsWith('customers.'))).toEqual(before);
    expect(warnings).toEqual([]);
  });

  it('keeps only its tables in its own database, also a table called users', async () => {
    const [host, lintel] = [await createEmpty(), await create()];
    expect(await start(host, lintel, HostUser, 2)).toEqual([
      'customers.id integer',
      'customers.name text',
      'users.id integer',
      'users.name text',
    ]);
    expect(warnings).toEqual([]);
  });

  async function createEmpty(): Promise<string> {
    const url = await create();
    const source = await new DataSource({ type: 'postgres', url, installExtensions: false }).initialize();
    await source.query('DROP SCHEMA public CASCADE');
    await source.query('CREATE SCHEMA public');
    await source.destroy();
    return url;
  }
});
