import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { MailsController } from './mails.controller.js';
import { MailsService } from './mails.service.js';
import './mails.errors.js';
import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

const LIMITS = defineRateLimits('Mails', {
  testMails: {
    points: 10,
    durationSeconds: 3_600,
    meaning: 'test mails of one account; without an account, from one client address',
  },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}

@DeclaresResources('mails.*')
@Module({ imports: [AuthModule], controllers: [MailsController], providers: [MailsService] })
export class MailsModule {}
