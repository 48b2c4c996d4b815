export { afterCommit, retriedTransaction } from './transactions.js';
export {
  ALLOW_IDLING,
  ALLOW_LONG_STATEMENTS,
  createDataSource,
  OWN_MIGRATIONS_TABLE,
} from './connections/data-source.js';
export type { DatabaseClient } from './connections/database-client.js';
export {
  type DatabaseConnection,
  embeddedDirectory,
  openDatabase,
  withEmbeddedErrors,
} from './connections/database-connection.js';
export {
  databaseRefusal,
  findViolatedUnique,
  isDatabaseUnavailable,
  isDataFault,
  readDriverFault,
} from './database-faults.js';
export { cacheReader, poolOf } from './connections/database-pool.js';
export { LastUses } from './last-uses.js';
export { migrate, type Migrator, type OnMigrated, ownMigrator, serviceMigrator } from './migrations/migrator.js';
export { MigrationSteps } from './migrations/migration-steps.js';
export type { ApplicationTables } from './tables.decorator.js';
export { prepared, runTextQuery, runTextQueryIn, type TextRow, type TextStatement } from './text-query.js';
