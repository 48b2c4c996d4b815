import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { BackupsController } from './backups.controller.js';
import { JobsController } from './jobs.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MigrationsController } from './migrations.controller.js';
import { OperatedJobs } from './operated-jobs.service.js';
import { OperationsController } from './operations.controller.js';
import './operations.errors.js';
import { RequestedBackups } from './requested-backups.service.js';

@DeclaresResources('jobs.*', 'backups.*', 'migrations.list', 'metrics.get', 'operations')
@Module({
  imports: [AuthModule],
  controllers: [OperationsController, JobsController, BackupsController, MigrationsController, MetricsController],
  providers: [OperatedJobs, RequestedBackups],
})
export class OperationsApiModule {}
