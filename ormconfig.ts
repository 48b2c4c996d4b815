import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { loadConfig, readEnvironment } from './src/platform/config/load-config.js';
import { createDataSource } from './src/platform/database/connections/data-source.js';
import { openDatabase } from './src/platform/database/connections/database-connection.js';
import { applicationTables, applicationVariables } from './src/app.module.js';

/**
 * The DataSource for TypeORM's command line (`npx typeorm migration:show -d dist/ormconfig.js`). It has the same address and tables as the
 * application.
 */
const config = loadConfig(readEnvironment(), applicationVariables());
const { address } = await openDatabase(config);

export const dataSource: DataSource = createDataSource({
  address,
  ...applicationTables(),
  poolSize: 2,
  statementTimeoutMs: 0,
});
