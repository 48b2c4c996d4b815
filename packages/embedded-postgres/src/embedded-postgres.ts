export { type Backup, listBackups, pruneBackups } from './backup-store.js';
export { type BackupOptions, takeBackup } from './base-backup.js';
export { acquireEmbeddedPostgres, type EmbeddedPostgresLease, type EmbeddedPostgresOptions } from './embedded-lease.js';
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './embedded-postgres.errors.js';
export { type Recovered, type RecoveryOptions, restoreBackup, verifyBackup } from './restore-backup.js';
export { currentLife } from './wal-archive.js';
export { packArchive } from './wal-files.js';
export { makeDirectories } from './make-directories.js';
export { followEmbeddedPostgres, promoteStandby, type StandbyState, standbyState } from './standby.js';
