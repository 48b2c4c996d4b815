/** Address of Lintel. `serve.mjs --url` replaces it. */
export const LINTEL = 'http://localhost:8000';
