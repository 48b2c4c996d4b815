import type { Provider } from '@nestjs/common';
import type { SystemSchema } from '../../kernel/system-schema.js';

export class SystemSchemaRegistration {
  constructor(readonly schema: SystemSchema) {}
}

/** Registers a system schema with the application. Add it to the providers of the module that owns the table. */
export function provideSystemSchema(schema: SystemSchema): Provider {
  const useValue = new SystemSchemaRegistration(schema);
  return { provide: Symbol(`system schema ${schema.definition.name}`), useValue };
}
