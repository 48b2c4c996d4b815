/** Where Lintel is. `serve.mjs --url` answers another one. */
export const LINTEL = 'http://localhost:8000';
