import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DefinitionError } from '../../kernel/definition-error.js';
import { SystemSchemaRegistration, type SystemSchemas } from '../../kernel/system-schema.js';

/** The system schemas that the modules of the application give, collected before anything reads them. */
@Injectable()
export class ApplicationSchemas {
  /** By name. */
  readonly all: SystemSchemas;

  /** @throws DefinitionError for two schemas of one name. */
  constructor(discovery: DiscoveryService) {
    const instances = discovery.getProviders().map(({ instance }): unknown => instance);
    const given = instances
      .flatMap((one) => (one instanceof SystemSchemaRegistration ? [one.schema] : []))
      .map((schema) => [schema.definition.name, schema] as const);
    const names = given.map(([name]) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new DefinitionError(`Two modules give the system schema ${twice}: one alone may.`);
    this.all = new Map(given);
  }
}
