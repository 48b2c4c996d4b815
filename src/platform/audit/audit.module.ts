import { Global, Module } from '@nestjs/common';
import { DeclaresVariables } from '../config/config.public.js';
import { Tables } from '../database/tables.decorator.js';
import { AuditLog1700000000040 } from './audit-log.migration.js';
import { AuditPartitions } from './audit-partitions.service.js';
import { AuditSeals } from './audit-seals.service.js';
import { AuditTrail } from './audit-trail.service.js';
import { AuditVerification } from './audit-verification.service.js';
import { AUDIT_VARIABLES } from './audit.variables.js';

/** The audit log: written with each change, sealed, verified, and dropped by day (ADR 0045). */
@Tables({
  migrations: [AuditLog1700000000040],
  others: ['audit_events', 'audit_seals', 'audit_head'],
  // The seals refer to the transaction ids of one server.
  fixed: ['audit_events', 'audit_seals', 'audit_head'],
})
@DeclaresVariables(AUDIT_VARIABLES)
@Global()
@Module({
  providers: [AuditPartitions, AuditSeals, AuditTrail, AuditVerification],
  exports: [AuditSeals, AuditTrail, AuditVerification],
})
export class AuditModule {}
