import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { assertDistinct } from '../../../kernel/errors/definition-error.js';
import { levelOf, SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { SecondFactorMethod } from './second-factor-method.port.js';

@Injectable()
export class SecondFactorMethods implements OnModuleInit {
  private methods: ReadonlyMap<string, SecondFactorMethod> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two kinds with the same name. */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    const methods = [...instances].filter((instance) => instance instanceof SecondFactorMethod);
    assertDistinct(
      methods.map(({ name }) => name),
      'Two kinds of second factors are called',
    );
    this.methods = new Map(methods.map((method) => [method.name, method]));
  }

  find(name: string): SecondFactorMethod | null {
    return this.methods.get(name) ?? null;
  }

  listAddable(): readonly string[] {
    return [...this.methods.values()].flatMap(({ isAddable, name }) => (isAddable ? [name] : [])).sort();
  }

  /** Omits kinds of a class that is already proven, because they add nothing. */
  async listFor(manager: EntityManager, userId: string, proven: readonly string[]): Promise<readonly string[]> {
    const ready: string[] = [];
    for (const method of this.methods.values()) {
      const adds = levelOf([...proven, method.name]) === SECOND_LEVEL;
      if (adds && (await method.isReady(manager, userId))) ready.push(method.name);
    }
    return ready.sort();
  }
}
