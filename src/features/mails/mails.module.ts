import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { MailsController } from './mails.controller.js';
import { MailsService } from './mails.service.js';
import './mails.errors.js';
import './mails.limits.js';

@DeclaresResources('mails.*')
@Module({ imports: [AuthModule], controllers: [MailsController], providers: [MailsService] })
export class MailsModule {}
