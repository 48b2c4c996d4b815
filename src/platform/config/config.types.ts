import type { Language } from '../../kernel/text/language.js';

/** The place of a process among those of `WORKERS`. */
export interface WorkerSeat {
  /** From 1 on. The one that is started for a process that died has its number. */
  readonly number: number;
  /** Whether it does what a start does once: migrations, built-in roles, schema files, checks. */
  readonly prepares: boolean;
}

/**
 * The whole configuration: parsed once, checked once, frozen. The part of the service itself stands here; a feature adds its
 * own beside its variables, by declaration merging:
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
  /** Processes that answer on the one port. */
  readonly workers: number;
  /** The place of this process among them; null if it stands alone. */
  readonly seat: WorkerSeat | null;
  /** Public base address without a trailing slash. */
  readonly appUrl: string;
  /** Path of `appUrl`: empty, or for example `/backend`. */
  readonly basePath: string;
  readonly appName: string;
  /** For whoever asks for no language that there is. */
  readonly appLanguage: Language;
  readonly appKey: string;
  /** Keys before the present one, which open what survives a change of key. */
  readonly appKeysPrevious: readonly string[];
  readonly dataDir: string;
  readonly logLevel: string;
  /** The ports that the application fills by itself (`AppDefinition`). */
  readonly ownPorts: readonly string[];
  /** Values of the variables that no settings are made of, by name; each module injects its own by their token. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The texts of the variables that are set, by name; of a secret nothing but that it is. */
  readonly given: Readonly<Record<string, string>>;
}
