/** A plugin that cannot be loaded: the service does not start. The message names it, relative to the data directory. */
export class PluginError extends Error {
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`The plugin ${path} cannot be loaded: ${reason}.`, options);
    this.name = 'PluginError';
  }
}
