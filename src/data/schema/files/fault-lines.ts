import type { SchemaFault } from '../codes/schema-fault.js';

/** Faults as lines for people: where, what, which code, and what may have been meant. */
export function faultLines(faults: readonly SchemaFault[]): readonly string[] {
  return faults.map(({ source, path, schema, code, message, suggestion }) => {
    const place = [source ?? schema, path].filter(Boolean).join(' ');
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
    return `${place === '' ? '' : `${place}: `}${message}${hint} (${code})`;
  });
}
