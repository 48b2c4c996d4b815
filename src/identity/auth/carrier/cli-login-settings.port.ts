/**
 * Settings of native-app login: provided by CliLoginModule, from its own settings or the configuration. In an application without that
 * module nobody provides them, and native-app login is off.
 */
export abstract class CliLoginSettings {
  abstract readonly enabled: boolean;
  /** Hosts beside loopback that a code may be sent to, over https only. */
  abstract readonly allowedRedirectHosts: readonly string[];
  /** Whole addresses that a code may be sent to. If there are any, a web app's must be one of them. */
  abstract readonly allowedRedirectUris: readonly string[];
}
