export { KEY_FACT } from './backups.service.js';
export { isBackupUnderWay, wordingBackupFaults } from './backup.errors.js';
export {
  ENDED_BY_RESTORE,
  endedByRestore,
  type EndedByRestore,
  type EndedCounts,
  type Restoration,
} from './restored-database.service.js';
