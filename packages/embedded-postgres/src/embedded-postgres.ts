export { type Backup, listBackups, pruneBackups } from './backup-store.js';
export { type BackupOptions, createBackup } from './base-backup.js';
export { acquireEmbeddedPostgres, type EmbeddedPostgresLease, type EmbeddedPostgresOptions } from './embedded-lease.js';
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './embedded-postgres.errors.js';
export { type Recovered, type RecoveryOptions, restoreBackup, verifyBackup } from './restore-backup.js';
export { currentIncarnation } from './wal-archive.js';
export { packArchive } from './wal-files.js';
export { createDirectories } from './create-directories.js';
export { followEmbeddedPostgres, promoteStandby, type StandbyState, standbyState } from './standby.js';
