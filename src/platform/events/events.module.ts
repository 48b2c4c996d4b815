import { Global, Module } from '@nestjs/common';
import { ChangeListener } from './change-listener.service.js';
import { ChangeNotifier } from './change-notifier.service.js';

/** Notifies all instances of changes, in the transaction of the change (ADR 0004). */
@Global()
@Module({ providers: [ChangeListener, ChangeNotifier], exports: [ChangeListener, ChangeNotifier] })
export class EventsModule {}
