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
  /** Public base address without a trailing slash. */
  readonly appUrl: string;
  readonly appName: string;
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
