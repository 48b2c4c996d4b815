import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DefinitionError } from '../../kernel/definition-error.js';
import { markedHooks, PRE_USER_REGISTER } from './on-pre-user-register.decorator.js';
import type { PreUserRegisterHook } from './registration-input.types.js';
import type { NamedHook } from './run-hook.js';

interface OrderedHook extends NamedHook {
  readonly order: number;
}

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** The pre-registration hooks in the order in which they run: those of modules, then those of plugins. */
@Injectable()
export class PreRegistrationHooks implements OnModuleInit {
  private moduleHooks: readonly NamedHook[] = [];
  private readonly pluginHooks: NamedHook[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * Finds the marked methods. Sorting is stable: what has the same order stays as declared.
   *
   * @throws DefinitionError for a hook that could never run.
   */
  onModuleInit(): void {
    const instances = new Set<object>();
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const found = wrappers.flatMap((wrapper) => {
      const hooks = this.hooksOf(wrapper);
      if (hooks.length === 0 || instances.has(wrapper.instance as object)) return [];
      instances.add(wrapper.instance as object);
      return hooks;
    });
    assertAllLoaded(wrappers);
    this.moduleHooks = found.toSorted((one, other) => one.order - other.order);
  }

  /** All hooks, in order. */
  list(): readonly NamedHook[] {
    return [...this.moduleHooks, ...this.pluginHooks];
  }

  /** Adds a hook after all others. */
  addFromPlugin(hook: NamedHook): void {
    this.pluginHooks.push(hook);
  }

  private hooksOf(wrapper: Wrapper): OrderedHook[] {
    const prototype = prototypeOf(wrapper);
    if (prototype === null) return [];
    const name = prototype.constructor.name;
    return this.scanner.getAllMethodNames(prototype).flatMap((key) => {
      const method = prototype[key] as PreUserRegisterHook;
      const order = this.reflector.get<number | undefined>(PRE_USER_REGISTER, method);
      if (order === undefined) return [];
      if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) {
        throw new DefinitionError(`${name}.${key} is a pre-registration hook: its class must be a singleton.`);
      }
      return [{ name: `${name}.${key}`, order, run: method.bind(wrapper.instance) }];
    });
  }
}

/** A check that is not there must not go unnoticed: a hook whose class no module has would never run. */
function assertAllLoaded(wrappers: readonly Wrapper[]): void {
  const loaded = wrappers.map(prototypeOf).filter((prototype) => prototype !== null);
  const isLoaded = (prototype: object): boolean =>
    loaded.some((one) => one === prototype || Object.prototype.isPrototypeOf.call(prototype, one));
  const idle = markedHooks().find(({ prototype, optional }) => !optional && !isLoaded(prototype));
  if (idle === undefined) return;
  const name = idle.prototype.constructor.name;
  throw new DefinitionError(
    `${name}.${idle.name} is a pre-registration hook, but no module of the application has ${name} as a provider: list it in one, or mark the hook as optional.`,
  );
}

/** The prototype of a provider that is an object of a class. */
function prototypeOf({ instance }: Wrapper): Record<string, unknown> | null {
  if (typeof instance !== 'object' || instance === null) return null;
  const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
  return prototype === Object.prototype ? null : prototype;
}
