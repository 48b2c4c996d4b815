import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { AuditController } from './audit.controller.js';
import { AuditReading } from './audit-reading.service.js';

/** Routes to read the audit log. They require `audit.list`. */
@DeclaresResources('audit.list')
@Module({ imports: [AuthModule], controllers: [AuditController], providers: [AuditReading] })
export class AuditReadingModule {}
