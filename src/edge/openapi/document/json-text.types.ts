/** Plain JSON data of an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;
