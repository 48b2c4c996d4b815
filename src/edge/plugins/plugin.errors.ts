import { OperatorError } from '../../kernel/errors/definition-error.js';

/** A plugin cannot be loaded, so the server does not start. The message has its path relative to the data directory. */
export class PluginError extends OperatorError {
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`The plugin ${path} cannot be loaded: ${reason.replace(/\.$/, '')}.`, options);
  }
}
