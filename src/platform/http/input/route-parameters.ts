/** `RouteParamtypes` of Nest. `@nestjs/common` does not export them, and its internal files load only after `reflect-metadata`. */
export const ROUTE_PARAMETER = { BODY: 3, QUERY: 4, PARAM: 5, FILE: 8, FILES: 9, RAW_BODY: 12 } as const;
