import { OperatorError } from '../../kernel/errors/definition-error.js';

/** An export or import is not possible. */
export class TransferError extends OperatorError {}
