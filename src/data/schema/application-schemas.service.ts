import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { assertDistinct } from '../../kernel/definition-error.js';
import { SystemSchemaRegistration, type SystemSchemas } from '../../kernel/system-schema.js';

/** The system schemas that the modules of the application give, collected before anything reads them. */
@Injectable()
export class ApplicationSchemas {
  readonly all: SystemSchemas;

  /** @throws DefinitionError for two schemas of one name. */
  constructor(discovery: DiscoveryService) {
    const instances = discovery.getProviders().map(({ instance }): unknown => instance);
    const given = instances
      .flatMap((one) => (one instanceof SystemSchemaRegistration ? [one.schema] : []))
      .map((schema) => [schema.definition.name, schema] as const);
    assertDistinct(
      given.map(([name]) => name),
      'Two modules give the system schema',
    );
    this.all = new Map(given);
  }
}
