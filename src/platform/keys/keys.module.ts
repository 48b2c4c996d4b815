import { Global, Module } from '@nestjs/common';
import { assertKeyPurposesDistinct } from '../../kernel/keys/key-derivation.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { KeyRotation } from './key-rotation.service.js';

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

/** Runs after all modules are loaded, so every key purpose is defined. */
function makeKeyRing({ appKey, appKeysPrevious }: Config): KeyRing {
  assertKeyPurposesDistinct();
  return new KeyRing(appKey, appKeysPrevious);
}
