/** Settings of native-app login, provided by CliLoginModule. Without that module, native-app login is disabled. */
export abstract class CliLoginSettings {
  abstract readonly enabled: boolean;
  /** Hosts, in addition to loopback, that may receive a code, over https only. */
  abstract readonly allowedRedirectHosts: readonly string[];
  /** Complete addresses that may receive a code. If there are any, the address of a web app must be one of them. */
  abstract readonly allowedRedirectUris: readonly string[];
}
