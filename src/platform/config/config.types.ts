import type { Language } from '../../kernel/text/language.js';

export interface WorkerSlot {
  /** Number of the worker, from 1. A process that replaces a dead worker gets its number. */
  readonly number: number;
  /** Whether this process runs the one-time steps of a start: migrations, built-in roles, schema files, checks. */
  readonly prepares: boolean;
}

/** Injection token of the frozen {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/**
 * The frozen configuration, parsed and checked once at the start. A feature adds its settings in its `*.variables.ts`, by declaration
 * merging:
 *
 *     declare module '../../platform/config/config.types.js' {
 *       interface Config {
 *         readonly content: ContentSettings;
 *       }
 *     }
 */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Number of processes that share the port. */
  readonly workers: number;
  /** Position of this process among the workers; null if there is only one process. */
  readonly seat: WorkerSlot | null;
  /** Public base address without a trailing slash. */
  readonly appUrl: string;
  /** Path of `appUrl`: empty, or for example `/backend`. */
  readonly basePath: string;
  readonly appName: string;
  /** Language of mails and pages if the client requests none of the available languages. */
  readonly appLanguage: Language;
  readonly appKey: string;
  /** Earlier values of `appKey`. They decrypt data that survives a key change. */
  readonly appKeysPrevious: readonly string[];
  readonly dataDir: string;
  readonly logLevel: string;
  /** Ports that the application implements itself (`AppDefinition`). */
  readonly ownPorts: readonly string[];
  /** Values of the variables that have no `settings`, by name. Modules inject their own by the token of the declaration. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts of the variables that are set, by name. A secret has the text `set`. */
  readonly given: Readonly<Record<string, string>>;
}
