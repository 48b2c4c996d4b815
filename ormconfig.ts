import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { loadConfig, readEnvironment } from './src/config/load-config.js';
import { createDataSource } from './src/database/data-source.js';
import { openDatabase } from './src/database/database-connection.js';
import { ENTITIES } from './src/entities.js';

/**
 * The DataSource for TypeORM's own command line (`npx typeorm migration:show -d dist/ormconfig.js`): the same one that
 * the application makes. Everything else comes from `src/config` and `src/database`.
 */
const config = loadConfig(readEnvironment());
const { address } = await openDatabase(config);

export const dataSource: DataSource = createDataSource({
  address,
  entities: ENTITIES,
  poolSize: 2,
  statementTimeoutMs: 0,
});
