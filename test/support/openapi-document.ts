import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Response } from 'supertest';
import type { TestClient } from './test-client.js';

type Json = Record<string, unknown>;

export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tags: string[];
  readonly responses: Record<string, Json>;
  readonly parameters?: Json[];
  readonly requestBody?: Json;
}

export class DocumentInHand {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: Record<string, Record<string, Json>>;
  private readonly ajv: Ajv2020;

  constructor(readonly json: Json) {
    this.paths = json['paths'] as DocumentInHand['paths'];
    this.components = json['components'] as DocumentInHand['components'];
    this.ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats.default(this.ajv);
    for (const format of ['int8', 'int16', 'uint8', 'uint16', 'uint32', 'uint64', 'int', 'uint', 'password', 'byte'])
      if (this.ajv.formats[format] === undefined) this.ajv.addFormat(format, true);
    this.ajv.addKeyword('components');
    this.ajv.addSchema({ $id: 'doc:', components: { schemas: this.components['schemas'] } });
  }

  static async of(client: TestClient): Promise<DocumentInHand> {
    return new DocumentInHand((await client.get('/api/openapi.json').expect(200)).body as Json);
  }

  operations(): DocumentedOperation[] {
    return Object.entries(this.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    );
  }

  at(reference: string): unknown {
    const names = reference.replace('#/', '').split('/');
    return names.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], this.json);
  }

  faults(): string[] {
    const text = JSON.stringify(this.json);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference ?? ''));
    const unsound = Object.entries(this.components['schemas'] ?? {}).flatMap(([name, schema]) => {
      try {
        this.validatorOf(schema);
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    });
    return [...[...references].filter((reference) => this.at(reference) === undefined), ...unsound];
  }

  validatorOf(schema: unknown): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"doc:#/components/');
    return this.ajv.compile(JSON.parse(text) as Json);
  }

  /** Returns the differences between a response and its documentation. */
  faultsOf(method: string, path: string, response: Response): unknown[] {
    const documented = this.paths[path]?.[method]?.responses[String(response.status)];
    if (documented === undefined) return [`${method} ${path} has no answer ${response.status}`];
    const { content } = (typeof documented['$ref'] === 'string' ? this.at(documented['$ref']) : documented) as {
      content?: Record<string, { schema: unknown }>;
    };
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return response.text === '' ? [] : ['the answer has a body'];
    const validate = this.validatorOf(schema);
    return validate(response.body) ? [] : (validate.errors ?? []);
  }
}
