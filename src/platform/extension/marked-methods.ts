import { Logger } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import { DefinitionError } from '../../kernel/errors/definition-error.js';

/** The prototype of a class. A static method, whose target is the class itself, does not compile. */
type MarkedTarget = object & { readonly prototype?: never };

/** Decorator of instance methods that accept certain parameters and return a certain result. */
export type MethodMarker<Method extends object> = <T extends Method>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void;

export interface MarkedMethod<Declaration> {
  readonly declaration: Declaration;
  /** `Class.method`. */
  readonly name: string;
  readonly run: (event: never) => unknown;
}

interface MarkOptions<Declaration> {
  /** Whether methods of controllers may be marked. Otherwise they stop the start. */
  readonly controllers?: boolean;
  /** Returns the fault of a declaration, as the end of a sentence, or null. */
  readonly faultOf?: (declaration: Declaration) => string | null;
}

const LOGGER = new Logger('Hooks');

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/**
 * Marks of one kind on methods: hooks. Only classes that a module of the application provides are used, because an imported class may
 * belong to another application of the same process. The start fails for a provided class whose method could never run.
 */
export class MethodMark<Declaration extends object> {
  private readonly key = Symbol('marked method');
  private readonly marks: { readonly prototype: object; readonly name: string }[] = [];

  /** @param what meaning of the mark, for messages: "is a record hook". */
  constructor(
    private readonly what: string,
    private readonly options: MarkOptions<Declaration> = {},
  ) {}

  /** Returns the decorator that marks a method. */
  marker<Method extends object>(declaration: Declaration): MethodMarker<Method> {
    return (target, key, method) => this.add(target, key, method, declaration);
  }

  /** @throws DefinitionError for a target that is no instance method. */
  add(target: object, key: string | symbol, { value }: { readonly value?: object }, declaration: Declaration): void {
    const name = String(key);
    if (typeof target === 'function' || value === undefined)
      throw new DefinitionError(`${ownerOf(target)}.${name} ${this.what}: it must be a non-static method.`);
    const declarations = this.declarationsOf(value);
    Reflect.defineMetadata(this.key, [...declarations, declaration], value);
    this.marks.push({ prototype: target, name });
  }

  /**
   * Returns the marked methods, in the order of execution.
   *
   * @throws DefinitionError for a method that could never run.
   */
  collect(discovery: DiscoveryService): readonly MarkedMethod<Declaration>[] {
    const { controllers: counts = false } = this.options;
    const controllers = discovery.getControllers();
    const wrappers = [...discovery.getProviders(), ...(counts ? controllers : [])];
    const found = new Map<object, readonly MarkedMethod<Declaration>[]>();
    for (const wrapper of wrappers) {
      const methods = this.methodsOf(wrapper);
      if (methods.length > 0 && !found.has(wrapper.instance as object)) found.set(wrapper.instance as object, methods);
    }
    const idle = counts ? undefined : controllers.flatMap((one) => this.methodsOf(one))[0];
    if (idle !== undefined) throw new DefinitionError(`${idle.name} ${this.what}: its class must be a provider.`);
    this.logUnlisted(wrappers);
    return [...found.values()].flat().toSorted((one, other) => orderOf(one) - orderOf(other));
  }

  isOn(method: object): boolean {
    return this.declarationsOf(method).length > 0;
  }

  private methodsOf(wrapper: Wrapper): readonly MarkedMethod<Declaration>[] {
    const prototype = prototypeOf(wrapper);
    if (prototype === null || !this.marks.some((mark) => isOrExtends(prototype, mark.prototype))) return [];
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((key) => {
      const method = prototype[key] as MarkedMethod<Declaration>['run'];
      const declared = this.declarationsOf(method);
      const name = `${prototype.constructor.name}.${key}`;
      if (declared.length > 0 && (wrapper.isTransient || !wrapper.isDependencyTreeStatic()))
        throw new DefinitionError(`${name} ${this.what}: its class must be a singleton.`);
      const [fault] = declared.flatMap((declaration) => this.options.faultOf?.(declaration) ?? []);
      if (fault !== undefined) throw new DefinitionError(`${name} ${this.what}: ${fault}.`);
      const run = method.bind(wrapper.instance);
      return declared.map((declaration) => ({ declaration, name, run }));
    });
  }

  private declarationsOf(method: object): readonly Declaration[] {
    return (Reflect.getMetadata(this.key, method) ?? []) as readonly Declaration[];
  }

  private logUnlisted(wrappers: readonly Wrapper[]): void {
    const loaded = wrappers.map(prototypeOf).filter((prototype) => prototype !== null);
    const isLoaded = (prototype: object): boolean => loaded.some((one) => isOrExtends(one, prototype));
    for (const { prototype, name } of this.marks.filter((mark) => !isLoaded(mark.prototype))) {
      const owner = prototype.constructor.name;
      LOGGER.debug(
        `${owner}.${name}, which ${this.what}, is ignored, because no module of the application provides ${owner}.`,
      );
    }
  }
}

/** Methods with a smaller `order` run first. Equal ones run in the order of declaration: by module, then by method. */
function orderOf({ declaration }: MarkedMethod<object>): number {
  return (declaration as { readonly order?: number }).order ?? 0;
}

function ownerOf(target: object): string {
  return typeof target === 'function' ? target.name : target.constructor.name;
}

function prototypeOf({ instance }: Wrapper): Record<string, unknown> | null {
  if (typeof instance !== 'object' || instance === null) return null;
  const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
  return prototype === Object.prototype ? null : prototype;
}

function isOrExtends(prototype: object, base: object): boolean {
  return prototype === base || Object.prototype.isPrototypeOf.call(base, prototype);
}
