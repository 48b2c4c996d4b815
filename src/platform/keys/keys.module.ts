import { Global, Module } from '@nestjs/common';
import { assertKeyPurposesDistinct } from '../../kernel/keys/key-derivation.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { KeyRotation } from './key-rotation.service.js';

@Global()
@Module({
  providers: [
    KeyRotation,
    {
      provide: KeyRing,
      inject: [CONFIG],
      useFactory: createKeyRing,
    },
  ],
  exports: [KeyRing, KeyRotation],
})
export class KeysModule {}

/** Runs after all modules are loaded, so every key purpose is defined. */
function createKeyRing({ appKey, appKeysPrevious }: Config): KeyRing {
  assertKeyPurposesDistinct();
  return new KeyRing(appKey, appKeysPrevious);
}
