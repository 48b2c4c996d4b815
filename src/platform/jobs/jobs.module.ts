import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { BackgroundJobs1700000000030 } from './background-jobs.migration.js';
import { ExpiredRows } from './expired-rows.service.js';
import { JobMeasures } from './job-measures.service.js';
import { JobQueue } from './job-queue.service.js';
import { JobRunners } from './job-runners.service.js';
import { JobSurvey } from './job-survey.service.js';
import { JobWorker } from './job-worker.service.js';
import { Jobs } from './jobs.service.js';
import { JOB_VARIABLES } from './jobs.variables.js';
import { WaitingJobs } from './waiting-jobs.service.js';
import { DeclaresVariables } from '../config/config.public.js';
import { Tables } from '../database/tables.decorator.js';

/** Background jobs: one table, written in the caller's transaction, and one worker per instance (ADR 0023). */
@Tables({
  migrations: [BackgroundJobs1700000000030],
  others: ['background_jobs'],
  transient: ['background_jobs'],
})
@DeclaresVariables(JOB_VARIABLES)
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [ExpiredRows, JobMeasures, Jobs, JobQueue, JobRunners, JobSurvey, JobWorker, WaitingJobs],
  exports: [ExpiredRows, Jobs, JobSurvey, JobWorker],
})
export class JobsModule {}
