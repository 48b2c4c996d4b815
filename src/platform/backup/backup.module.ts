import { Global, Module } from '@nestjs/common';
import { DeclaresVariables } from '../config/config.public.js';
import { BACKUP_VARIABLES } from './backup.variables.js';
import { Backups } from './backups.service.js';
import { RestoredDatabase } from './restored-database.service.js';
import { Standby } from './standby.service.js';

/** Backups of the embedded database, and the cleanup after a restore (ADR 0051). */
@DeclaresVariables(BACKUP_VARIABLES)
@Global()
@Module({ providers: [Backups, RestoredDatabase, Standby], exports: [Backups, RestoredDatabase] })
export class BackupModule {}
