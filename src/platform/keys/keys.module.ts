import { Global, Module } from '@nestjs/common';
import { assertKeyPurposesDistinct } from '../../kernel/keys/key-derivation.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { KeyRotation } from './key-rotation.service.js';

/** The keys of the application, and what is stored under them (docs/operating.md). */
@Global()
@Module({
  providers: [
    KeyRotation,
    {
      provide: KeyRing,
      inject: [CONFIG],
      useFactory: makeKeyRing,
    },
  ],
  exports: [KeyRing, KeyRotation],
})
export class KeysModule {}

/** Makes the key ring. Every module is loaded by now, and every purpose defined. */
function makeKeyRing({ appKey, appKeysPrevious }: Config): KeyRing {
  assertKeyPurposesDistinct();
  return new KeyRing(appKey, appKeysPrevious);
}
