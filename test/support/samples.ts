import type { DocumentInHand } from './openapi-document.js';

type Json = Record<string, unknown>;

export class Samples {
  constructor(private readonly document: DocumentInHand) {}

  of(schema: unknown, depth = 0): unknown {
    const { $ref, allOf, anyOf, oneOf, enum: words, const: only, example, ...rest } = (schema ?? {}) as Json;
    if (depth > 5) return null;
    if (typeof $ref === 'string') return this.of(this.document.at($ref), depth + 1);
    if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((one) => this.of(one, depth + 1))) as unknown;
    const [first] = [anyOf, oneOf].find(Array.isArray) ?? [];
    if (first !== undefined) return this.of(first, depth + 1);
    if (Array.isArray(words)) return words[0];
    if (only !== undefined || example !== undefined) return only ?? example;
    return this.plain(rest, depth);
  }

  private plain({ type, properties, items, format }: Json, depth: number): unknown {
    const kind = Array.isArray(type) ? (type[0] as unknown) : type;
    if (kind === 'array') return [this.of(items, depth + 1)];
    if (kind === 'object' || properties !== undefined) {
      const fields = Object.entries((properties ?? {}) as Json);
      return Object.fromEntries(fields.map(([name, field]) => [name, this.of(field, depth + 1)]));
    }
    if (kind === 'integer' || kind === 'number') return 1;
    if (kind === 'boolean') return true;
    return format === 'uuid' ? '01900000-0000-7000-8000-000000000001' : format === 'email' ? 'a@example.com' : 'text';
  }
}
