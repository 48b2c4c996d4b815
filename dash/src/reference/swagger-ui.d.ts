/** The used part of Swagger UI, which has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const SwaggerUI: (options: object) => {
    readonly specActions: { updateSpec(text: string): void };
    readonly layoutActions: { updateFilter(query: string): void; parseDeepLinkHash(hash: string): void };
  };
  export default SwaggerUI;
}
